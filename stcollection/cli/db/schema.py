"""The command ``stc db schema``."""

from __future__ import annotations

import click

from stcollection.analysis.schema import published_tables
from stcollection.cli.options.figures import FigureFiles, figure_option, write_csv
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.writing import output
from stcollection.plots.schema import draw_schema, schema_rows


@click.command("schema")
@figure_option("svg")
@click.pass_obj
def command(settings: Settings, files: FigureFiles) -> None:
    """Draw the published tables as SVG, with columns, types, primary keys, and foreign keys as lines.

    The diagram is read from the collection, so it shows the tables of further embedding models too. Comments are tooltips.
    """
    with connect(settings) as conn:
        tables = published_tables(conn)
    if files.figure is not None:
        with output(files.figure) as file:
            file.write(draw_schema(tables).encode())
        click.echo(f"{files.figure}: {counted(len(tables), 'table')}, {counted(files.figure.stat().st_size, 'byte')}")
    if files.data is not None:
        write_csv(files.data, *schema_rows(tables))
