"""The command ``stc corpus licences``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.corpus.licences import licence_counts
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("licences")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """Count documents by data source and by the licence that their records state."""
    with connect(settings) as conn:
        headers, rows = licence_counts(conn)
        click.echo(render(rows, headers, style=style))
