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
    """What is there of readability, credibility and annotations, what lacks, and what is stale."""
    with connect(settings) as conn:
        click.echo(render(numbers(conn), ["part", "what", "count", "note"], style=style))
