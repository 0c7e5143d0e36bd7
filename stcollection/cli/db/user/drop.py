"""The command ``stc db user drop``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.members import drop_member
from stcollection.db.settings import Settings


@click.command("drop")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(settings: Settings, name: str, yes: bool) -> None:
    """Let NAME in no more: its own schema goes with all in it, the runs of its team stay."""
    if not yes:
        click.confirm(f"Remove the user {name!r} and the schema of that name with all in it?", abort=True)
    with connect(settings) as conn:
        gone = drop_member(conn, name)
    click.echo(f"removed the user {name!r}{'' if gone else '; the login stays, another collection of the server knows it'}")
