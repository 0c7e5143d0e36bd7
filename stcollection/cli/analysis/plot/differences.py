"""The command ``stc analysis plot differences``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.intervals import Interval
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option, spread_options
from stcollection.cli.options.queries import queries_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("differences")
@click.argument("run")
@click.argument("against")
@edition_option
@measures_option(1)
@queries_option
@spread_options
@file_options
@click.pass_obj
def command(
    settings: Settings,
    /,
    file: FigureFile,
    run: str,
    against: str,
    edition: str,
    measure: Measure,
    interval: Interval,
    missing: str,
    queries: str,
) -> None:
    """Plot the difference between RUN and AGAINST on each query, with the mean difference and its interval."""
    draw(
        settings,
        file,
        figures.differences,
        run,
        against,
        edition=edition,
        measure=measure,
        interval=interval,
        missing=missing,
        query_set=queries,
        width=file.width,
    )
