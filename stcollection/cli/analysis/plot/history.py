"""The command ``stc analysis plot history``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings


@click.command("history")
@click.argument("editions", nargs=-1)
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, editions: tuple[str, ...]) -> None:
    """Plot the topics, queries and judgments of each edition, oldest first. Without EDITION, plot all."""
    draw(settings, file, figures.history, editions, width=file.width)
