"""The command ``stc analysis plot labels``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.reliability import run_names, runs_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("labels")
@click.argument("human")
@click.argument("other")
@measures_option(1)
@queries_option
@runs_option
@file_options
@click.pass_obj
def command(
    settings: Settings, /, file: FigureFile, human: str, other: str, measure: Measure, queries: str, runs: tuple[str, ...]
) -> None:
    """Plot the mean score of each system by the edition OTHER (sparse, or of a language model) against HUMAN, by family.

    Scores are over the queries that both editions judge. 'stc analysis labels' prints the same comparison.
    """
    draw(settings, file, figures.labels, human, other, measure=measure, query_set=queries, runs=run_names(runs), width=file.width)
