"""The command ``stc corpus snapshots``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.corpus.snapshots import snapshots
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("snapshots")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the snapshots ('stc corpus load --date') with the documents added and removed since the previous one."""
    with connect(settings) as conn:
        headers, rows = snapshots(conn)
        click.echo(render(rows, headers, style=style))
