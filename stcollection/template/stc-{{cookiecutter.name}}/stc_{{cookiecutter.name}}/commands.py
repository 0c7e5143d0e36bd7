"""The command ``add``."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, command
from stcollection.db.connection import connect

from .store import add_note


@command(add_note)
def add_command(call: Call[None]) -> None:
    """Store a note on a query."""
    with connect(call.settings, autocommit=True) as conn:
        call(conn)
    click.echo(f"{call.given['query']}: 1 note added")
