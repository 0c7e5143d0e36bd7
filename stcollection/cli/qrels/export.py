"""The command ``stc qrels export``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.files import export_option
from stcollection.cli.options.formats import FormatName
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import output, print_simulated
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.editions import export_qrels
from stcollection.qrels.subtopics import export_subtopics


@click.command("export")
@edition_option
@click.option(
    "--format", "layout", type=FormatName("qrels", written=True), default="trec", show_default=True, help="Format to write."
)
@click.option("--subtopics", is_flag=True, help="Export the subtopic judgments: query, subtopic, document, grade.")
@queries_option
@export_option
@click.pass_obj
def command(settings: Settings, edition: str, layout: str, subtopics: bool, queries: str, out: Path | None) -> None:
    """Export an edition with one judgment per query and document: human before llm before knn."""
    if subtopics and layout != "trec":
        raise click.UsageError(f"subtopic judgments cannot be exported as {layout}: omit --format")
    with connect(settings) as conn, output(out) as file:
        if subtopics:
            count = export_subtopics(conn, edition, file, queries=queries)
        else:
            count = export_qrels(conn, edition, file, layout=layout, queries=queries)
    if out is not None:
        click.echo(f"{out}: {counted(count, 'judgment')}")
    if layout == "trec":
        print_simulated()
