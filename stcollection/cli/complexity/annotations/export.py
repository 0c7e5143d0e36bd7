"""The command ``stc export annotations``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import export_option
from stcollection.cli.output import output
from stcollection.complexity.annotations import export_annotations
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("export")
@export_option
@click.pass_obj
def command(settings: Settings, out: Path | None) -> None:
    """Export all grades as CSV, in the format that 'load' reads."""
    with connect(settings) as conn, output(out) as file:
        count = export_annotations(conn, file)
    if out is not None:
        click.echo(f"{out}: {counted(count, 'line')}")
