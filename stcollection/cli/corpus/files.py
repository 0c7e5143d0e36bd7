"""The command ``stc corpus files``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.corpus.ledger import files
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("files")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the loaded files with their counts."""
    with connect(settings) as conn:
        headers, rows = files(conn)
        click.echo(render(rows, headers, style=style))
