"""The command ``stc analysis plot grades``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection import figures
from stcollection.cli.options.figures import draw, file_options
from stcollection.db.settings import Settings


@click.command("grades")
@click.argument("editions", nargs=-1)
@click.option("--counts", is_flag=True, help="Bars as long as there are judgments.  [default: all of 100%]")
@file_options
@click.pass_obj
def command(settings: Settings, /, out: Path, editions: tuple[str, ...], **options: Any) -> None:
    """How often EDITIONS (all if none is named) give each grade; a bar for each origin where there are several."""
    draw(settings, out, figures.grades, editions, **options)
