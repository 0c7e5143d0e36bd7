"""The command ``stc analysis plot systems``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection import figures
from stcollection.cli.options.figures import draw, file_options, measures_option, spread_options
from stcollection.cli.options.measures import edition_option
from stcollection.db.settings import Settings


@click.command("systems")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option(1)
@click.option("--queries", is_flag=True, help="Each query's value too, as a faint stroke.")
@spread_options
@file_options
@click.pass_obj
def command(settings: Settings, /, out: Path, **options: Any) -> None:
    """The mean of each of RUNS (all if none is named) with its interval over queries, best on top.

    Two intervals that overlap do not say that the runs are alike: 'stc analysis compare' tests them query by query.
    """
    draw(settings, out, figures.systems, **options)
