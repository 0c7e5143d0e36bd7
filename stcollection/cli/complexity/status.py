"""The command ``stc complexity status``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.complexity.credibility import status as numbers
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("status")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """Report which measures and annotations exist, which are missing, and which are out of date."""
    with connect(settings) as conn:
        click.echo(render(numbers(conn), ["part", "what", "count", "note"], style=style))
