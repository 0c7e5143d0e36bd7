"""The command ``stc topics files``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.removal import topic_files


@click.command("files")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the loaded files of topics."""
    with connect(settings) as conn:
        found = topic_files(conn)
    cut = 64 if style in ("json", "csv") else 12
    rows = [
        (one.path, one.format, one.queries, one.topics, one.sha256 and one.sha256[:cut], f"{one.loaded:%F %R}") for one in found
    ]
    click.echo(render(rows, ["path", "format", "queries", "topics", "sha256", "loaded"], style=style))
