"""The command ``stc qrels release``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import changed_edition_argument
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.hiding import release


@click.command("release")
@changed_edition_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(settings: Settings, edition: str, yes: bool) -> None:
    """Show a hidden EDITION to participants and readers; when, and by whom, is kept."""
    if not yes:
        click.confirm(f"Show the edition {edition!r} to all? What they have seen they know.", abort=True)
    with connect(settings) as conn:
        done = release(conn, edition)
    click.echo(f"{edition}: {'released' if done else 'is open already'}")
