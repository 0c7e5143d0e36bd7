"""The command ``stc analysis plot snapshots``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.days import days_option
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option
from stcollection.cli.options.queries import queries_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("snapshots")
@click.argument("run")
@click.argument("baseline")
@edition_option
@measures_option(1)
@days_option
@queries_option
@file_options
@click.pass_obj
def command(
    settings: Settings, /, file: FigureFile, run: str, baseline: str, edition: str, measure: Measure, days: list[str], queries: str
) -> None:
    """Plot the scores of RUN and BASELINE on the snapshots of the collection, and the lead of RUN over BASELINE.

    The lowest part shows how similar the rankings of RUN are to those on the first day.

    'stc evaluation over-time' prints the same comparison.
    """
    draw(
        settings,
        file,
        figures.snapshots,
        run,
        baseline,
        edition=edition,
        measure=measure,
        days=days,
        query_set=queries,
        width=file.width,
    )
