"""The command ``stc analysis plot systems``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.intervals import Interval
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option, spread_options
from stcollection.cli.options.queries import queries_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("systems")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option(1)
@click.option("-q", "--per-query", is_flag=True, help="Also draw the value of each query, as a faint line.")
@queries_option
@spread_options
@file_options
@click.pass_obj
def command(
    settings: Settings,
    /,
    file: FigureFile,
    runs: tuple[str, ...],
    edition: str,
    measure: Measure,
    per_query: bool,
    interval: Interval,
    missing: str,
    queries: str,
) -> None:
    """Plot the mean of each run with its interval over queries, best on top. Without RUN, plot all.

    Overlapping intervals do not show that runs are equal: 'stc analysis compare' tests them query by query.
    """
    draw(
        settings,
        file,
        figures.systems,
        edition=edition,
        measure=measure,
        runs=runs,
        queries=per_query,
        interval=interval,
        missing=missing,
        query_set=queries,
        width=file.width,
    )
