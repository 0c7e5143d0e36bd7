"""The command ``stc answers graph``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.figures import csv_option, svg_option, write_csv
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.writing import output
from stcollection.plots.clusters import draw_clusters
from stcollection.plots.table import table
from stcollection.studies.answers.graph import graph


@click.command("graph")
@click.argument("run")
@click.argument("query")
@svg_option("SVG file to write.")
@click.option(
    "--least", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="Lowest probability of a relation to draw."
)
@csv_option
@click.pass_obj
def command(settings: Settings, run: str, query: str, out: Path, least: float, csv: Path | None) -> None:
    """Draw the answers of QUERY in RUN as SVG: groups, supports on the left, contradictions on the right.

    QUERY is the whole text of a query. A green frame marks groups whose documents are returned; ✓ marks answers in relevant
    documents.
    """
    with connect(settings) as conn:
        drawn = graph(conn, run, query, least=least)
    with output(out) as file:
        file.write(draw_clusters(drawn).encode())
    click.echo(f"{out}: {drawn.counts()}")
    if csv is not None:
        columns, rows = table(drawn)
        write_csv(csv, columns, [*rows])
