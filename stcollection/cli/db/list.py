"""The command ``stc show collections``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.collections import collections
from stcollection.db.settings import Settings


@click.command("list")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the collections of the server."""
    rows = [
        (one.name, one.bytes if one.bytes is None or style in ("json", "csv") else f"{one.bytes / 2**20:.1f} MB")
        for one in collections(settings)
    ]
    click.echo(render(rows, ["collection", "size"], style=style))
