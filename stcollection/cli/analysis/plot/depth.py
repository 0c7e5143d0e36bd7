"""The command ``stc analysis plot depth``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.editions import any_edition_option
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings


@click.command("depth")
@click.argument("pool")
@any_edition_option("Edition whose judgments count.  [default: the grades on the pool's own sheets]")
@click.option(
    "--min-grade",
    "relevant",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant.",
)
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, pool: str, edition: str | None, relevant: int) -> None:
    """Plot the yield of POOL by depth: documents, judged and relevant ones, and the relevant documents that each depth added."""
    draw(settings, file, figures.depth, pool, edition=edition, relevant=relevant, width=file.width)
