"""The command ``stc db reset``."""

from __future__ import annotations

import click

from stcollection.cli.options.removal import yes_option
from stcollection.db.collections import reset
from stcollection.db.settings import Settings


@click.command("reset")
@yes_option
@click.pass_obj
def command(settings: Settings, yes: bool) -> None:
    """Empty the collection: drop it and create it again."""
    if not yes:
        click.confirm(f"Empty the collection {settings.db!r}? Its contents will be lost.", abort=True)
    reset(settings)
    click.echo(f"emptied the collection {settings.db!r}")
