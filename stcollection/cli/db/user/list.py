"""The command ``stc show users``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.members import members
from stcollection.db.settings import Settings


@click.command("list")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the users of the collection with role and team."""
    with connect(settings) as conn:
        rows = [(one.name, ", ".join(one.kinds), one.team, one.schema) for one in members(conn)]
    click.echo(render(rows, ["user", "role", "team", "schema"], style=style))
