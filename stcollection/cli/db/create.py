"""The command ``stc db create``."""

from __future__ import annotations

import click

from stcollection.db.collections import create
from stcollection.db.settings import Settings, named


@click.command("create")
@click.argument("name", required=False)
@click.option("--if-not-exists", is_flag=True, help="Say nothing if it is there already; put it in step.")
@click.pass_obj
def command(settings: Settings, name: str | None, if_not_exists: bool) -> None:
    """Make a collection, empty and ready to load."""
    settings = named(settings, name)
    made = create(settings, exist_ok=if_not_exists)
    click.echo(f"{'made' if made else 'found'} the collection {settings.db!r}")
