"""The command ``stc coverage drop``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.coverage.store import drop_coverage


@click.command("drop")
@click.argument("name")
@click.pass_obj
def command(settings: Settings, name: str) -> None:
    """Remove a stored coverage."""
    with connect(settings, autocommit=True) as conn:
        drop_coverage(conn, name)
    click.echo(f"{name}: dropped")
