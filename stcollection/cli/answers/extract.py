"""The command ``stc answers extract``."""

from __future__ import annotations

import click

from stcollection.cli.answers._text import titles
from stcollection.cli.options import packed
from stcollection.cli.options.answers import SPLITS
from stcollection.cli.output import ProgressBar, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.extract import ExtractOptions, extract


@click.command("extract")
@click.argument("set_", metavar="SET")
@click.option("--split", type=SPLITS, required=True, help="Whose documents are read.")
@click.option("--as", "source", required=True, metavar="NAME", help="The name of the extracted answers: the source of a run.")
@click.option("--width", type=click.IntRange(1, 20), help="Most sentences of an answer.  [default: 2, or tuned]")
@click.option("--per-document", type=click.IntRange(1, 100), default=1, show_default=True, help="Most answers of a document.")
@click.option(
    "--at-least", type=click.FloatRange(min=0), help="A document whose best score is less abstains.  [default: 0, or tuned]"
)
@click.option("--tune-on", type=SPLITS, help="Choose width and least score by the given answers of this split of SET.")
@click.option("--replace", is_flag=True, help="Put them in the place of answers of this name.")
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
    replace: bool,
    style: str,
) -> None:
    """Extract an answer from each document of SET: the sentences that are nearest to the query, and say more than it.

    A document that has nothing of the query, or too little, abstains. The same extraction gives the same answers.
    """
    with connect(settings) as conn, ProgressBar("tuning", unit="widths") as progress:
        made = extract(
            conn,
            set=set_,
            split=split,
            source=source,
            options=options,
            replace=replace,
            progress=progress,
        )
    rows = [made] if style in ("json", "csv") else [made[:7]]
    click.echo(render(rows, made._fields if style in ("json", "csv") else titles(made._fields[:7]), style=style))
    if made.tuned_on is not None and style not in ("json", "csv"):
        click.echo(f"\ntuned on {made.tuned_on}: value {made.value:.4f} there")
