"""The command ``stc show annotations``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.complexity.annotations import AnnotationOverview, overview
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("status")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the groups of annotators, what they graded, and how often they gave each grade."""
    with connect(settings) as conn:
        rows = overview(conn)
    names = [one.names if style == "json" else ", ".join(one.names) for one in rows]
    click.echo(render([(*one[:-1], told) for one, told in zip(rows, names, strict=True)], AnnotationOverview._fields, style=style))
