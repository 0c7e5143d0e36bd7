"""The command ``stc analysis plot growth``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.reliability import Draws
from stcollection.cli.options import packed
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option
from stcollection.cli.options.reliability import (
    against_option,
    draws_option,
    of_option,
    run_names,
    runs_option,
    seed_option,
    sizes_option,
)
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("growth")
@edition_argument
@measures_option(1)
@of_option
@against_option
@sizes_option
@draws_option
@seed_option
@runs_option
@file_options
@click.pass_obj
@packed(Draws, "draws", draws="times")
def command(
    settings: Settings,
    /,
    file: FigureFile,
    edition: str,
    measure: Measure,
    of: tuple[str, ...],
    against: str,
    runs: tuple[str, ...],
    draws: Draws,
) -> None:
    """Plot how Kendall's tau grows with the number of queries drawn from EDITION, one curve per set of queries."""
    draw(
        settings,
        file,
        figures.curves,
        edition=edition,
        of=of,
        against=against,
        measure=measure,
        runs=run_names(runs),
        draws=draws,
        width=file.width,
    )
