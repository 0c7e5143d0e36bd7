"""The command ``stc corpus rejects``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.corpus.ledger import rejects
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("rejects")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the records that could not be stored, with file, line and reason."""
    with connect(settings) as conn:
        headers, rows = rejects(conn)
        click.echo(render(rows, headers, style=style))
