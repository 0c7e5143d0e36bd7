"""The command ``stc evaluation ask``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import needed_edition_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.asks import ask


@click.command("ask")
@click.argument("run")
@needed_edition_option("Hidden edition to score with.")
@format_option
@click.pass_obj
def command(settings: Settings, run: str, edition: str, style: str) -> None:
    """Request the mean scores of a RUN of your team on a hidden edition, where its organisers allow it; each request is counted.

    The run must have at least ten documents for every query of the edition. Means are rounded to two decimals. Repeating a request
    for an unchanged run is free.
    """
    with connect(settings) as conn:
        told, left = ask(conn, run, edition=edition)
    click.echo(render([(run, one.measure, one.mean) for one in told], ["run", "measure", "mean"], style=style))
    if style == "table":
        click.echo(f"requests left for {edition!r}: {left}")
