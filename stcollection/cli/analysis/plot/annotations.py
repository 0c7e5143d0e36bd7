"""The command ``stc analysis plot annotations``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.document_measures import ASPECTS
from stcollection.cli.options.documents import MEASURE_NAMES
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings


@click.command("annotations")
@click.option("--measure", default="textstat_fkgl", show_default=True, help=MEASURE_NAMES)
@click.option("--aspect", type=click.Choice(ASPECTS), default="complexity", show_default=True, help="Aspect that was graded.")
@click.option("--everyone", is_flag=True, help="Treat all annotators as one group.")
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, measure: str, aspect: str, everyone: bool) -> None:
    """Plot the mean of a measure, with its standard error, over the documents of each grade, by group of annotators."""
    draw(settings, file, figures.grades_given, measure=measure, aspect=aspect, everyone=everyone, width=file.width)
