"""The command ``stc analysis plot years``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings


@click.command("years")
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile) -> None:
    """Plot the number of documents by year of publication, and how many have an abstract.

    Documents without a year, or with one that cannot be right such as 0, are left out and counted in the title.
    """
    draw(settings, file, figures.years, width=file.width)
