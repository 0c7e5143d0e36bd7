"""The command ``stc answers drop-model``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("drop-model")
@click.argument("model")
@click.pass_obj
def command(settings: Settings, model: str) -> None:
    """Remove MODEL and all relations it predicted."""
    from stcollection.studies.answers.agreement.store import drop

    with connect(settings) as conn:
        drop(conn, model)
    click.echo(f"{model} dropped")
