"""The command ``stc synth review export``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import output
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.sheets import LAYOUTS
from stcollection.studies.synth.review import export_review
from stcollection.studies.synth.subtopics import subtopic_list


@click.command("export")
@click.option("--out", required=True, metavar="FILE", type=OutputPath(), help="Write to this file.")
@click.option("--near", is_flag=True, help="Include queries set aside as near-duplicates.")
@click.option("--reviewed", is_flag=True, help="Include queries that have a decision, with the decision.")
@click.option(
    "--format", "layout", type=click.Choice(LAYOUTS), default="csv", show_default=True, help="CSV for spreadsheets, or JSON lines."
)
@click.pass_obj
def command(settings: Settings, out: Path, near: bool, reviewed: bool, layout: str) -> None:
    """Export the queries that wait for a review as a sheet, with the article of each topic and the nearest other query.

    Fill in right_article and duplicate with yes or no; a query is accepted if they are yes and no. Column reworded may have
    another text. 'stc synth review import' reads the sheet.
    """
    with connect(settings) as conn:
        with output(out) as file:
            count = export_review(conn, file, near=near, reviewed=reviewed, layout=layout)
        left = 0 if near else len(subtopic_list(conn, state="set aside"))
    click.echo(f"{out}: {counted(count, 'query')}")
    if left:
        aside(f"near-duplicates set aside: {left:,}; --near includes them")
