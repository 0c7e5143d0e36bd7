"""The command ``stc analysis plot differences``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection import figures
from stcollection.cli.options.figures import draw, file_options, measures_option, spread_options
from stcollection.cli.options.measures import edition_option
from stcollection.db.settings import Settings


@click.command("differences")
@click.argument("run")
@click.argument("against")
@edition_option
@measures_option(1)
@spread_options
@file_options
@click.pass_obj
def command(settings: Settings, /, out: Path, run: str, against: str, **options: Any) -> None:
    """By how much RUN is better or worse than AGAINST on each query, with the mean difference and its interval."""
    draw(settings, out, figures.differences, run, against, **options)
