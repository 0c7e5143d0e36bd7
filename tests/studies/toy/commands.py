"""The commands of the toy study."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, command
from stcollection.db.connection import connect
from tests.studies.toy.store import count_notes


@command(count_notes)
def count_command(call: Call[int]) -> None:
    """Count the notes."""
    with connect(call.settings) as conn:
        click.echo(f"{call(conn):,} notes")
