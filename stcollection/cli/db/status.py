"""The command ``stc db status``."""

from __future__ import annotations

import click

from stcollection.cli.output import printable
from stcollection.db.settings import Settings
from stcollection.db.status import status


@click.command("status")
@click.pass_obj
def command(settings: Settings) -> None:
    """Report the server and version of the collection, and whether it needs an upgrade."""
    for what, told in status(settings):
        click.echo(f"{what:<12}{printable(told)}")
