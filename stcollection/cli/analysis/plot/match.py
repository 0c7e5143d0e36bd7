"""The command ``stc analysis plot match``."""

from __future__ import annotations

import click

from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings
from stcollection.studies.synth import match_figure


@click.command("match")
@click.argument("study")
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, study: str) -> None:
    """Plot how the chosen queries of STUDY match their target, before and after: length, words found, and both together."""
    draw(settings, file, match_figure.plot_match, study, width=file.width)
