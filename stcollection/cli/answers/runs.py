"""The command ``stc answers runs``."""

from __future__ import annotations

import click

from stcollection.cli.answers._text import parameters
from stcollection.cli.output import format_option, printable, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.runs import runs


@click.command("runs")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the runs of answer verification with their settings and sizes."""
    with connect(settings) as conn:
        found = runs(conn)
    names = ["run", "set", "split", "method", "params", "queries", "answered", "documents", "clusters", "made"]
    if style == "json":
        click.echo(render(found, names, style=style))
        return
    rows = [(*one[:4], parameters(one.params), *one[5:9], one.made.isoformat(" ", "seconds")) for one in found]
    shown = [tuple(printable(value) if isinstance(value, str) else value for value in row) for row in rows]
    click.echo(render(shown, names, style=style))
