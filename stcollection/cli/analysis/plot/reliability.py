"""The command ``stc analysis plot reliability``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option
from stcollection.cli.options.reliability import SETS, pair_of, run_names, runs_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


def _pair(_: click.Context, __: click.Parameter, text: str) -> tuple[str, str]:
    return pair_of(text)


@click.command("reliability")
@edition_argument
@click.option("--pair", required=True, callback=_pair, metavar="A:B", help=f"Two sets of queries: {SETS}.")
@measures_option(1)
@runs_option
@file_options
@click.pass_obj
def command(
    settings: Settings, /, file: FigureFile, edition: str, pair: tuple[str, str], measure: Measure, runs: tuple[str, ...]
) -> None:
    """Plot the mean score of each system on one set of EDITION's queries against another set, by family."""
    draw(settings, file, figures.scatter, edition=edition, pair=pair, measure=measure, runs=run_names(runs), width=file.width)
