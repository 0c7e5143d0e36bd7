"""The command ``stc topics unset``."""

from __future__ import annotations

import click

from stcollection.cli.options.completion import complete_sets
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.sets import drop_set


@click.command("unset")
@click.argument("name", shell_complete=complete_sets)
@click.pass_obj
def command(settings: Settings, name: str) -> None:
    """Remove the stored set of queries NAME. Its queries stay."""
    with connect(settings) as conn:
        drop_set(conn, name)
    click.echo(f"{name}: removed")
