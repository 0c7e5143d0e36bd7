"""The command ``stc analysis plot growth``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection import figures
from stcollection.analysis.reliability import Draws
from stcollection.cli.options.figures import draw, file_options, measures_option
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


@click.command("growth")
@click.argument("edition")
@measures_option(1)
@of_option
@against_option
@sizes_option
@draws_option
@seed_option
@runs_option
@file_options
@click.pass_obj
def command(
    settings: Settings, /, out: Path, runs: tuple[str, ...], sizes: list[int], draws: int, seed: int, **options: Any
) -> None:
    """How Kendall's tau grows with the number of queries of EDITION drawn, a curve for each set drawn from."""
    draw(settings, out, figures.curves, runs=run_names(runs), draws=Draws(draws, seed, sizes), **options)
