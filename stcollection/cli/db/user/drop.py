"""The command ``stc drop user``."""

from __future__ import annotations

import click

from stcollection.cli.options.removal import yes_option
from stcollection.db.connection import connect
from stcollection.db.members import drop_member
from stcollection.db.settings import Settings


@click.command("drop")
@click.argument("name")
@yes_option
@click.pass_obj
def command(settings: Settings, name: str, yes: bool) -> None:
    """Remove the user NAME and its schema. The runs of its team stay."""
    if not yes:
        click.confirm(f"Remove the user {name!r} and the schema {name!r} with its contents?", abort=True)
    with connect(settings) as conn:
        gone = drop_member(conn, name)
    click.echo(f"removed the user {name!r}{'' if gone else '; the login stays: another collection of the server uses it'}")
