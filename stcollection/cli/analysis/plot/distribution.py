"""The command ``stc analysis plot distribution``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.document_measures import GROUPINGS
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings
from stcollection.plots.documents import ROWS


@click.command("distribution")
@click.argument("measure", default="textstat_fkgl")
@click.option("--by", type=click.Choice(GROUPINGS), default="year", show_default=True, help="Grouping of the documents.")
@click.option(
    "--min-documents",
    "smallest",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Leave out groups with fewer documents.",
)
@click.option(
    "--limit",
    "most",
    type=click.IntRange(1, ROWS),
    default=20,
    show_default=True,
    help="Number of groups to show, the largest first. All years are shown.",
)
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, measure: str, by: str, smallest: int, most: int) -> None:
    """Plot the distribution of MEASURE (default: textstat_fkgl) by year, venue, document type or field of study.

    MEASURE is one of the 20 measures of readability, citations, references or citation_percentile.
    """
    draw(settings, file, figures.distribution, measure, by=by, smallest=smallest, most=most, width=file.width)
