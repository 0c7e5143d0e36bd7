"""The command ``stc db schema``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.analysis.schema import published_tables
from stcollection.cli.options.figures import csv_option, svg_option, write_csv
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.writing import output
from stcollection.plots.schema import draw_schema, schema_rows


@click.command("schema")
@svg_option("SVG file to write.")
@csv_option
@click.pass_obj
def command(settings: Settings, out: Path, csv: Path | None) -> None:
    """Draw the published tables as SVG, with columns, types, primary keys, and foreign keys as lines.

    The diagram is read from the collection, so it shows the tables of further embedding models too. Comments are tooltips.
    """
    with connect(settings) as conn:
        tables = published_tables(conn)
    with output(out) as file:
        file.write(draw_schema(tables).encode())
    click.echo(f"{out}: {counted(len(tables), 'table')}, {counted(out.stat().st_size, 'byte')}")
    if csv is not None:
        write_csv(csv, *schema_rows(tables))
