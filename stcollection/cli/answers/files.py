"""The command ``stc answers files``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, printable, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers import sets


@click.command("files")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the loaded files of each split."""
    with connect(settings) as conn:
        headers, rows = sets.files(conn)
    safe = [[printable(cell) if isinstance(cell, str) and style != "json" else cell for cell in row] for row in rows]
    click.echo(render(safe, headers, style=style))
