"""The command ``stc analysis history``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.analysis.collection_records import EditionHistory
from stcollection.analysis.history import edition_history
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.declared import Option

_COLUMNS = ("edition", "year", "split", "topics", "queries", "judgments", "fewest", "most", "by_people", "documents", "made")


@command(edition_history, figure=lambda _: "history")
def history_command(
    call: Call[list[EditionHistory]], *, named: Annotated[bool, Option("--topics")] = False, style: Style = "table"
) -> None:
    """List the topics, queries and assessed documents of each edition, oldest first. Without EDITION, list all.

    Judgments are pairs of query and document with a grade of at least 0; documents counts each document once.
    fewest and most are the judgments of the query with the fewest and with the most.

    :param named: Also print the names of the topics.
    """
    editions = call.once()
    columns = (*_COLUMNS, "names") if named else _COLUMNS
    rows = [[row.made.date() if name == "made" else _cell(name, getattr(row, name), style) for name in columns] for row in editions]
    click.echo(render(rows, [name.replace("_", " ") if style == "table" else name for name in columns], style=style))


def _cell(name: str, value: object, style: str) -> object:
    """Print a year without a separator of thousands, and names as a list of words."""
    if isinstance(value, list) and style != "json":
        return " ".join(value)
    return str(value) if name == "year" and value is not None and style not in ("json", "csv") else value
