"""The command ``stc analysis plot bias``."""

from __future__ import annotations

from typing import Any

import click

from stcollection import figures
from stcollection.analysis.bias import Resampling
from stcollection.cli.options.bias import bias_options
from stcollection.cli.options.figures import draw, file_options
from stcollection.db.settings import Settings


@click.command("bias")
@bias_options
@file_options
@click.pass_obj
def command(settings: Settings, /, out: Any, bootstrap: int, seed: int, alpha: float, **options: Any) -> None:
    """How far each family of systems shifts on the queries of each origin: its mean with its interval, each system a dot."""
    draw(settings, out, figures.bias, bootstrap=Resampling(bootstrap, seed, alpha), **options)
