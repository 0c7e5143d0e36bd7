"""The command ``stc vectors drop``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.store import drop


@click.command("drop")
@click.argument("model", metavar="SHORT")
@click.pass_obj
def command(settings: Settings, model: str) -> None:
    """Drop the model SHORT with its vectors, indexes and cached queries. The default model cannot be dropped."""
    with connect(settings) as conn:
        drop(conn, model)
    click.echo(f"dropped {model} and its vectors")
