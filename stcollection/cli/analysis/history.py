"""The command ``stc analysis history``."""

from __future__ import annotations

import click

from stcollection.analysis.history import edition_history
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings

_COLUMNS = ("edition", "year", "split", "topics", "queries", "judgments", "fewest", "most", "by_people", "documents", "made")


@click.command("history")
@click.argument("editions", nargs=-1)
@click.option("--topics", "named", is_flag=True, help="Also print the names of the topics.")
@format_option
@click.pass_obj
def command(settings: Settings, editions: tuple[str, ...], named: bool, style: str) -> None:
    """List the topics, queries and assessed documents of each edition, oldest first. Without EDITION, list all.

    Judgments are pairs of query and document with a grade of at least 0; documents counts each document once.
    fewest and most are the judgments of the query with the fewest and with the most.
    """
    with connect(settings) as conn:
        found = edition_history(conn, editions)
    columns = (*_COLUMNS, "names") if named else _COLUMNS
    rows = [[one.made.date() if name == "made" else _cell(name, getattr(one, name), style) for name in columns] for one in found]
    click.echo(render(rows, [name.replace("_", " ") if style == "table" else name for name in columns], style=style))


def _cell(name: str, value: object, style: str) -> object:
    """Print a year without a separator of thousands, and names as a list of words."""
    if isinstance(value, list) and style != "json":
        return " ".join(value)
    return str(value) if name == "year" and value is not None and style not in ("json", "csv") else value
