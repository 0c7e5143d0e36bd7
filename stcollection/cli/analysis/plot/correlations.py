"""The command ``stc analysis plot correlations``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.documents import measures_argument, sample_options
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings


@click.command("correlations")
@click.argument("names", nargs=-1, metavar="[MEASURE]...", callback=measures_argument)
@sample_options
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, names: list[str], most: int, seed: int) -> None:
    """Plot Spearman's rho between measures. Without MEASURE: the 20 of readability; 'all' adds those of credibility."""
    draw(settings, file, figures.correlation, names, most=most, seed=seed, width=file.width)
