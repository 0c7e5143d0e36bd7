"""The command ``stc db drop``."""

from __future__ import annotations

import click

from stcollection.cli.options.completion import complete_collections
from stcollection.cli.options.removal import yes_option
from stcollection.db.collections import drop
from stcollection.db.settings import Settings, named


@click.command("drop")
@click.argument("name", shell_complete=complete_collections)
@yes_option
@click.pass_obj
def command(settings: Settings, name: str, yes: bool) -> None:
    """Remove a collection and its contents."""
    settings = named(settings, name)
    if not yes:
        click.confirm(f"Remove the collection {settings.db!r} and its contents?", abort=True)
    drop(settings)
    click.echo(f"removed the collection {settings.db!r}")
