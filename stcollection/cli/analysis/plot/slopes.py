"""The command ``stc analysis plot slopes``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("slopes")
@click.argument("runs", nargs=-1)
@edition_option
@click.option("--against", metavar="EDITION", help="The edition on the right.  [default: none, two measures]")
@measures_option(2)
@click.option("--all", "every", is_flag=True, help="The mean by each edition is over all its queries, not those both judge alone.")
@file_options
@click.pass_obj
def command(
    settings: Settings,
    /,
    file: FigureFile,
    runs: tuple[str, ...],
    edition: str,
    against: str | None,
    measures: list[Measure],
    every: bool,
) -> None:
    """One ranking of RUNS (all if none is named) against another: of two editions, or by two measures, -m nDCG@10 -m AP."""
    draw(
        settings,
        file,
        figures.slopes,
        edition=edition,
        against=against,
        measures=measures,
        runs=runs,
        every=every,
        width=file.width,
    )
