"""The command ``stc answers baseline``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.answers import SPLITS
from stcollection.cli.output import ProgressBar, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.baselines import BaselineOptions, baseline

_METHODS = click.Choice(["tfidf", "embedding", "length", "all"])


@click.command("baseline")
@click.argument("set_", metavar="SET")
@click.option("--split", type=SPLITS, required=True, help="Whose documents are returned.")
@click.option("--run", required=True, help="The name of the run.")
@click.option("--method", type=_METHODS, default="tfidf", show_default=True, help="What makes a document worth returning.")
@click.option(
    "--threshold", type=float, help="Of tfidf and embedding: return what is more like the query.  [default: 0.2 of tfidf]"
)
@click.option("--tune-on", type=SPLITS, help="Choose threshold or range by the mean F1 on this split of SET.")
@click.option("--model", metavar="SHORT", help="Of embedding: its name in the collection.  [default: the collection's first]")
@click.option("--replace", is_flag=True, help="Put it in the place of a run of this name.")
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
    """Return documents of SET without looking at their answers, as a run to hold others against.

    tfidf: the published baseline, characters weighed over the query and its documents, cosine of title + text above a threshold.
    embedding: the cosine of vectors. length: documents of a length, in characters, that is found on another split. all: every one.
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
        click.echo("That is the split of the run: its F1 says how well it can be fitted, not how well it does.")
