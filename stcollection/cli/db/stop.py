"""The command ``stc db stop``."""

from __future__ import annotations

import click

from stcollection.cli.db._embedded import embedded
from stcollection.db.settings import Settings


@click.command("stop")
@click.pass_obj
def command(settings: Settings) -> None:
    """Stop the embedded server."""
    stopped = embedded(settings).stop()
    click.echo("the server is stopped" if stopped else "no server was running")
