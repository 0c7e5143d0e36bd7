"""The command ``stc analysis plot match``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection.cli.options.figures import draw, file_options
from stcollection.db.settings import Settings
from stcollection.studies.synth import match_figure


@click.command("match")
@click.argument("study")
@file_options
@click.pass_obj
def command(settings: Settings, /, out: Path, study: str, **options: Any) -> None:
    """How the chosen queries of a STUDY match the target: length, words found, and both together; before and after."""
    draw(settings, out, match_figure.matched, study, **options)
