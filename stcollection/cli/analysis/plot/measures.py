"""The command ``stc analysis plot measures``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.documents import sample_options
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings


@click.command("measures")
@click.argument("x")
@click.argument("y")
@click.option(
    "--bins", "size", type=click.IntRange(1, 200), help="Approximate number of bins per axis.  [default: 2 ∛documents, at most 40]"
)
@click.option(
    "--beyond",
    type=click.FloatRange(0, 0.5, max_open=True),
    default=0.005,
    show_default=True,
    help="Largest share of documents to leave out at either end of an axis.",
)
@sample_options
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, x: str, y: str, size: int | None, beyond: float, most: int, seed: int) -> None:
    """Plot measure Y against measure X: the number of documents with each pair of values, and Spearman's rho."""
    draw(settings, file, figures.measures, x, y, size=size, beyond=beyond, most=most, seed=seed, width=file.width)
