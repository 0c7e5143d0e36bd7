"""The command ``stc analysis plot readable``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.intervals import Interval
from stcollection.analysis.measured import SIDES, Reading
from stcollection.cli.options import packed
from stcollection.cli.options.documents import MEASURE_NAMES
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option, spread_options
from stcollection.cli.options.queries import queries_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("readable")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option(1)
@click.option("--readability", default="textstat_fkgl", show_default=True, metavar="MEASURE", help=MEASURE_NAMES)
@click.option(
    "--cutoff",
    "k",
    type=click.IntRange(1, 2**31 - 1),
    default=10,
    show_default=True,
    help="Number of documents at the top of each ranking to read.",
)
@click.option(
    "--prefer",
    type=click.Choice(SIDES),
    help="Whether low or high values of --readability are better.  [default: as defined by the measure]",
)
@queries_option
@spread_options
@file_options
@click.pass_obj
@packed(Reading, "reading")
def command(
    settings: Settings,
    /,
    file: FigureFile,
    runs: tuple[str, ...],
    edition: str,
    measure: Measure,
    reading: Reading,
    interval: Interval,
    missing: str,
    queries: str,
) -> None:
    """Plot relevance against readability of the top documents of runs; a line joins the best trade-offs. Without RUN, plot all."""
    draw(
        settings,
        file,
        figures.readable,
        runs,
        edition=edition,
        measure=measure,
        reading=reading,
        interval=interval,
        missing=missing,
        query_set=queries,
        width=file.width,
    )
