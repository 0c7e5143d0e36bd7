"""The command ``stc coverage show``."""

from __future__ import annotations

import click

from stcollection.cli.coverage._text import KINDS, show, show_extremes
from stcollection.cli.output import format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.coverage.records import Kind
from stcollection.studies.coverage.store import load_coverage


@click.command("show")
@click.argument("name")
@click.option(
    "--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Kind of topics to show. Repeatable.  [default: all]"
)
@click.option("--extremes", is_flag=True, help="Print one row: the most frequent LDA topic and the rarest.")
@format_option
@click.pass_obj
def command(settings: Settings, name: str, kinds: tuple[Kind, ...], extremes: bool, style: str) -> None:
    """Show a stored coverage without recomputing it."""
    with connect(settings, autocommit=True) as conn:
        found = load_coverage(conn, name)
    if extremes:
        show_extremes([(name, found)], style=style)
        return
    show([(name, found)], kinds=kinds or KINDS, style=style)
