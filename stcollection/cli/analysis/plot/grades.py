"""The command ``stc analysis plot grades``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings


@click.command("grades")
@click.argument("editions", nargs=-1)
@click.option("--counts", is_flag=True, help="Bars as long as there are judgments.  [default: all of 100%]")
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, editions: tuple[str, ...], counts: bool) -> None:
    """How often EDITIONS (all if none is named) give each grade; a bar for each origin where there are several."""
    draw(settings, file, figures.grades, editions, counts=counts, width=file.width)
