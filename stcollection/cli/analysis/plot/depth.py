"""The command ``stc analysis plot depth``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stcollection import figures
from stcollection.cli.options.figures import draw, file_options
from stcollection.db.settings import Settings


@click.command("depth")
@click.argument("pool")
@click.option("--edition", metavar="EDITION", help="Whose judgments count.  [default: the grades on the pool's own sheets]")
@click.option("--relevant", type=click.IntRange(min=1), default=1, show_default=True, help="The lowest grade that is relevant.")
@file_options
@click.pass_obj
def command(settings: Settings, /, out: Path, pool: str, **options: Any) -> None:
    """What POOL has found by each depth: documents, judged and relevant ones, and how many relevant ones each depth added."""
    draw(settings, out, figures.depth, pool, **options)
