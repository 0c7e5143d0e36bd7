"""The command ``stc qrels hide``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import changed_edition_argument
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.hiding import hide, reveals


@click.command("hide")
@changed_edition_argument
@click.pass_obj
def command(settings: Settings, edition: str) -> None:
    """Hide an EDITION from participants and readers, who then do not see that it exists. 'stc qrels release' shows it again."""
    with connect(settings) as conn:
        done = hide(conn, edition)
        click.echo(f"{edition}: {'hidden' if done else 'was hidden already'}")
        for warning in reveals(conn, edition):
            click.echo(f"stc: {warning}", err=True)
