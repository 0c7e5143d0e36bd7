"""The command ``stc db reset``."""

from __future__ import annotations

import click

from stcollection.db.collections import reset
from stcollection.db.settings import Settings


@click.command("reset")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(settings: Settings, yes: bool) -> None:
    """Empty the collection: remove it and make it anew."""
    if not yes:
        click.confirm(f"Empty the collection {settings.db!r}? All it holds is lost.", abort=True)
    reset(settings)
    click.echo(f"emptied the collection {settings.db!r}")
