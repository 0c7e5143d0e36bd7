"""The command ``stc analysis plot coverage``."""

from __future__ import annotations

import click

from stcollection.cli.options.figures import FigureFile, draw, file_options
from stcollection.db.settings import Settings
from stcollection.studies.coverage.figure import plot_coverage
from stcollection.studies.coverage.records import KINDS, Kind


@click.command("coverage")
@click.argument("name")
@click.option("--kind", type=click.Choice(KINDS), default="lda", show_default=True, help="Kind of topics.")
@file_options
@click.pass_obj
def command(settings: Settings, /, file: FigureFile, name: str, kind: Kind) -> None:
    """Plot how many documents of the corpus cover each topic of the stored coverage NAME, frequent and rare topics marked.

    'stc coverage compute' stores a coverage under the name of its query.
    """
    draw(settings, file, plot_coverage, name, kind=kind, width=file.width)
