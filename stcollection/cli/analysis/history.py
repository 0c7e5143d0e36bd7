"""The command ``stc analysis history``."""

from __future__ import annotations

import click

from stcollection.analysis.history import edition_history
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings

_COLUMNS = ("edition", "year", "split", "topics", "queries", "judgments", "by_people", "documents", "made")


@click.command("history")
@click.argument("editions", nargs=-1)
@format_option
@click.pass_obj
def command(settings: Settings, editions: tuple[str, ...], style: str) -> None:
    """List the topics, queries and assessed documents of each edition, oldest first. Without EDITION, list all.

    Judgments are pairs of query and document with a grade of at least 0; documents counts each document once.
    """
    with connect(settings) as conn:
        found = edition_history(conn, editions)
    rows = [[one.made.date() if name == "made" else _cell(name, getattr(one, name), style) for name in _COLUMNS] for one in found]
    click.echo(render(rows, [name.replace("_", " ") if style == "table" else name for name in _COLUMNS], style=style))


def _cell(name: str, value: object, style: str) -> object:
    """Print a year without a separator of thousands."""
    return str(value) if name == "year" and value is not None and style not in ("json", "csv") else value
