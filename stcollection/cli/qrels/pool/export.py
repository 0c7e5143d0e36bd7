"""The command ``stc qrels pool export``."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path

import click

from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.licences import licence_option
from stcollection.cli.options.pools import names
from stcollection.cli.output import output
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.pools import sheets_of
from stcollection.qrels.sheets import LAYOUTS, export_sheet, sheet_files


def _share(_: click.Context, __: click.Parameter, value: str) -> Decimal:
    try:
        return Decimal(value)
    except InvalidOperation:
        raise click.BadParameter(f"{value!r} is not a number") from None


@click.command("export")
@click.argument("name")
@click.option(
    "--out",
    required=True,
    metavar="PATH",
    type=OutputPath(folder=True),
    help="Write to this file; for several annotators, to this folder, one file each.",
)
@click.option(
    "--annotator", metavar="ANNOTATOR", help="Export this annotator's sheet.  [default: the sheets of all annotators of the pool]"
)
@click.option(
    "--annotators", metavar="LIST", callback=names, help="Distribute the pool to these annotators (comma-separated), then export."
)
@click.option(
    "--overlap",
    metavar="SHARE",
    default="0",
    show_default=True,
    callback=_share,
    help="Share of the documents that two annotators judge.",
)
@click.option(
    "--format", "layout", type=click.Choice(LAYOUTS), default="csv", show_default=True, help="CSV for spreadsheets, or JSON lines."
)
@licence_option("Only documents with these licences")
@click.pass_obj
def command(
    settings: Settings,
    name: str,
    out: Path,
    annotator: str | None,
    annotators: list[str],
    overlap: Decimal,
    layout: str,
    licences: tuple[str, ...],
) -> None:
    """Export sheets of the pool NAME for assessors: topic, query, title and abstract, in a different order for each assessor.

    Sheets show no run, rank or score. Assessors fill in the columns grade and note, and 'stc qrels pool import' reads them.
    """
    with connect(settings) as conn:
        people = sheets_of(conn, name, annotator=annotator, annotators=annotators, overlap=overlap)
        for one, path in sheet_files(out, people, layout=layout, single=annotator is not None).items():
            with output(path) as file:
                count = export_sheet(conn, name, file, annotator=one, layout=layout, licences=licences)
            click.echo(f"{path}: {counted(count, 'document')} for {one}")
