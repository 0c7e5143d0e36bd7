"""The command ``stc vectors models``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.store import models


@click.command("models")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the models with their vectors and indexes."""
    with connect(settings) as conn:
        headers, rows = models(conn)
    if style != "table":
        click.echo(render(rows, headers, style=style))
        return
    for row in rows:  # one block per model: a table would be too wide
        known = dict(zip(headers, row, strict=True))
        known["made_by"] = ", ".join(known["made_by"])
        for prefix in ("query_prefix", "passage_prefix"):
            known[prefix] = repr(known[prefix]) if known[prefix] else None
        click.echo(f"{known.pop('model')}")
        for name, value in known.items():
            if value not in (None, "", 0):
                click.echo(f"  {name.replace('_', ' '):<15} {f'{value:,}' if isinstance(value, int) else value}")
