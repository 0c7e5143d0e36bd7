"""The command ``stc coverage show``."""

from __future__ import annotations

import click

from stcollection.cli.coverage._text import KINDS, show
from stcollection.cli.output import format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.coverage.records import Kind
from stcollection.studies.coverage.store import taken


@click.command("show")
@click.argument("name")
@click.option(
    "--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Kind of topics to show. Repeatable.  [default: all]"
)
@format_option
@click.pass_obj
def command(settings: Settings, name: str, kinds: tuple[Kind, ...], style: str) -> None:
    """Show a stored coverage without recomputing it."""
    with connect(settings, autocommit=True) as conn:
        found = taken(conn, name)
    show([(name, found)], kinds=kinds or KINDS, style=style)
