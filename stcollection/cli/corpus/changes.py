"""The command ``stc corpus changes``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.corpus.snapshots import changes_between
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("changes")
@click.argument("earlier", metavar="DATE1")
@click.argument("later", metavar="DATE2")
@format_option
@click.pass_obj
def command(settings: Settings, earlier: str, later: str, style: str) -> None:
    """List the documents added and removed between two days (YYYY-MM-DD), by the last snapshots up to them."""
    with connect(settings) as conn:
        headers, rows = changes_between(conn, earlier, later)
        click.echo(render(rows, headers, style=style))
