"""The command ``stc synth review publish``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth.review import PublishedSubtopic, publish_reviewed


@click.command("publish")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """Publish the accepted queries, named after their topics: G01.C1, G01.C2, … Repeating it adds no query."""
    with connect(settings) as conn:
        found = publish_reviewed(conn)
    if found or style in ("json", "csv"):
        click.echo(render(found, PublishedSubtopic._fields, style=style))
    else:
        click.echo("no new query: all accepted queries are published")
