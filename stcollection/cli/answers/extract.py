"""The command ``stc answers extract``."""

from __future__ import annotations

import click

from stcollection.cli.answers._text import titles
from stcollection.cli.options import packed
from stcollection.cli.options.answers import SPLITS, device_option
from stcollection.cli.output import ProgressBar, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.extract import ExtractOptions, extract


@click.command("extract")
@click.argument("set_", metavar="SET")
@click.option("--split", type=SPLITS, required=True, help="Split whose documents are read.")
@click.option(
    "--as", "source", required=True, metavar="NAME", help="Name of the extracted answers, as in 'stc answers relate --source NAME'."
)
@click.option("--width", type=click.IntRange(1, 20), help="Largest number of sentences per answer.  [default: 2, or tuned]")
@click.option(
    "--per-document", type=click.IntRange(1, 100), default=1, show_default=True, help="Largest number of answers per document."
)
@click.option(
    "--min-score",
    "at_least",
    type=click.FloatRange(min=0),
    help="Lowest score of an answer; documents below it get none.  [default: 0, or tuned]",
)
@click.option("--tune-on", type=SPLITS, help="Choose --width and --min-score by the given answers of this split of SET.")
@click.option(
    "--reader",
    metavar="FOLDER",
    help="Read the answers with this extractive question-answering model of transformers; --min-score is its lowest confidence.",
)
@device_option
@click.option("--replace", is_flag=True, help="Replace stored answers with this name.")
@format_option
@packed(ExtractOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    /,
    *,
    set_: str,
    split: str,
    source: str,
    options: ExtractOptions,
    device: str | None,
    replace: bool,
    style: str,
) -> None:
    """Extract an answer from each document of SET: sentences that are similar to the query and add something to it.

    A document with too little in common with the query gets no answer. The extraction is deterministic. With --reader, a model
    reads the answers, one per document at most, and its confidence is stored as their score. Run it again to continue after an
    interruption.
    """
    title, unit = ("tuning", "widths") if options.reader is None else ("reading", "documents")
    with connect(settings) as conn, ProgressBar(title, unit=unit) as progress:
        made = extract(
            conn,
            set=set_,
            split=split,
            source=source,
            options=options,
            replace=replace,
            device=device,
            progress=progress,
        )
    rows = [made] if style in ("json", "csv") else [made[:7]]
    click.echo(render(rows, made._fields if style in ("json", "csv") else titles(made._fields[:7]), style=style))
    if made.tuned_on is not None and style not in ("json", "csv"):
        click.echo(f"\ntuned on {made.tuned_on}: value {made.value:.4f} there")
