"""The command ``stc topics sets``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, one_line, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.sets import QuerySet, query_sets


@click.command("sets")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the stored sets of queries, with their numbers of queries."""
    with connect(settings) as conn:
        found = query_sets(conn)
    rows = [
        (one.name, one_line(one.expression, whole=style in ("json", "csv")), one.queries, one.description, f"{one.added:%F %R}")
        for one in found
    ]
    click.echo(render(rows, QuerySet._fields, style=style))
