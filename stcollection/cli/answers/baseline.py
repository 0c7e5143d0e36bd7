"""The command ``stc answers baseline``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.answers import SPLITS
from stcollection.cli.output import ProgressBar, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.baselines import BaselineOptions, baseline

_METHODS = click.Choice(["tfidf", "embedding", "length", "all"])


_options = together(
    click.option("--split", type=SPLITS, required=True, help="Split whose documents are returned."),
    click.option("--name", "run", required=True, help="Name of the new run."),
    click.option("--method", type=_METHODS, default="tfidf", show_default=True, help="Rule that selects the documents."),
    click.option(
        "--threshold",
        type=float,
        help="For tfidf and embedding: return documents with a greater similarity to the query.  [default for tfidf: 0.2]",
    ),
    click.option("--tune-on", type=SPLITS, help="Choose the threshold or range with the best mean F1 on this split of SET."),
    click.option(
        "--model",
        metavar="SHORT",
        help="For embedding: the model's name in the collection.  [default: the collection's first model]",
    ),
    click.option("--replace", is_flag=True, help="Replace a stored run with this name."),
)


@click.command("baseline")
@click.argument("set_", metavar="SET")
@_options
@format_option
@packed(BaselineOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    /,
    *,
    set_: str,
    split: str,
    run: str,
    options: BaselineOptions,
    replace: bool,
    style: str,
) -> None:
    """Make a baseline run that returns documents of SET without using their answers.

    tfidf: the published baseline: TF-IDF of characters; returns documents whose title + text has a cosine above the threshold.
    embedding: cosine of vectors. length: documents in a range of lengths, in characters, learned on another split. all: every
    document.
    """
    with connect(settings) as conn, ProgressBar("embedding", unit="texts") as progress:
        made = baseline(
            conn,
            set=set_,
            split=split,
            run=run,
            options=options,
            replace=replace,
            progress=progress,
        )
    if style in ("json", "csv"):
        click.echo(render([made], made._fields, style=style))
        return
    where = (
        f"length {made.low:,.0f} to {made.high:,.0f}"
        if made.low is not None and made.high is not None
        else "–"
        if made.threshold is None
        else f"> {made.threshold:.4f}"
    )
    rows = [(made.run, made.method, where, made.queries, made.documents, made.returned, made.abstained, made.f1)]
    heads = ["run", "method", "returned if", "queries", "documents", "returned", "abstained", "F1"]
    click.echo(render(rows, heads, style=style))
    if made.tuned_on is not None:
        click.echo(f"\ntuned on {made.tuned_on}: mean F1 {made.f1_tuned:.4f} there")
    if made.tuned_on == split:
        click.echo("This is the split of the run: its F1 shows how well the threshold can be fitted, not how well it generalises.")
