"""The command ``stc analysis plot bias``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.bias import Resampling
from stcollection.cli.options.bias import BiasSubject, bias_options
from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings


@click.command("bias")
@bias_options
@file_options
@click.pass_obj
def command(
    settings: Settings,
    /,
    file: FigureFile,
    of: BiasSubject,
    bootstrap: Resampling,
) -> None:
    """Plot how far each family of systems shifts on the queries of each origin: mean, interval, and one dot per system."""
    draw(
        settings,
        file,
        figures.bias,
        edition=of.edition,
        measure=of.measure,
        reference=of.reference,
        runs=of.runs,
        bootstrap=bootstrap,
        query_set=of.queries,
        width=file.width,
    )
