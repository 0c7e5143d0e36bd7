"""The command ``stc text status``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.text.index import status


@click.command("status")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """Report whether the text indexes are up to date and find every document."""
    with connect(settings) as conn:
        click.echo(render(status(conn, verify=True), ["what", "value"], style=style))
