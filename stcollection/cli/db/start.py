"""The command ``stc db start``."""

from __future__ import annotations

import click

from stcollection.cli.db._embedded import embedded
from stcollection.db.settings import Settings


@click.command("start")
@click.pass_obj
def command(settings: Settings) -> None:
    """Start the embedded server. It runs until it is stopped."""
    server = embedded(settings)
    server.ensure()
    click.echo(f"the server runs (pid {server.pid()}), its data is in {server.data}")
