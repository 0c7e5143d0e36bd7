"""The command ``stc qrels release``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import changed_edition_argument
from stcollection.cli.options.removal import yes_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.hiding import release


@click.command("release")
@changed_edition_argument
@yes_option
@click.pass_obj
def command(settings: Settings, edition: str, yes: bool) -> None:
    """Show a hidden EDITION to participants and readers. The time and the user are recorded."""
    if not yes:
        click.confirm(f"Show the edition {edition!r} to everyone? This cannot be undone for those who see it.", abort=True)
    with connect(settings) as conn:
        done = release(conn, edition)
    click.echo(f"{edition}: {'released' if done else 'is open already'}")
