"""The command ``stc analysis plot grades``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.judgments import BY
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.cli.options.queries import queries_option
from stcollection.db.settings import Settings


@click.command("grades")
@click.argument("editions", nargs=-1)
@click.option(
    "--by",
    type=click.Choice(BY),
    default="judge",
    show_default=True,
    help="Bars by who judged (human, llm, knn), or by origin of the queries (human, t5, …).",
)
@click.option("--counts", is_flag=True, help="Draw bars as long as their number of judgments.  [default: all bars are 100%]")
@queries_option
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, editions: tuple[str, ...], by: str, counts: bool, queries: str) -> None:
    """Plot how often each edition gives each grade, with one bar per origin if it has several. Without EDITION, plot all."""
    draw(settings, file, figures.grades, editions, by=by, counts=counts, query_set=queries, width=file.width)
