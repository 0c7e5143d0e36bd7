"""The command ``stc analysis origins``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.analysis.origins import BY, OriginStatistics, origin_statistics
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted


@command(origin_statistics, omit=("queries",))
def origins_command(call: Call[list[OriginStatistics]], *, style: Style = "table") -> None:
    """Count and describe the queries of EDITION by origin and by form: number, length, judged and relevant documents.

    Types follow from the form of the (English) text: question-word, yes-no, question, keyword, phrase. Lengths are in words.
    """
    by = call.given.get("by", ("origin",))
    rows = call.once()
    if style == "json":
        columns = [name for name in rows[0]._fields if name in by or name not in BY]
        click.echo(render([[getattr(row, name) for name in columns] for row in rows], columns, style=style))
        return
    grades = sorted({int(grade) for row in rows for grade in row.grades or ()})
    columns = [name for name in rows[0]._fields if name != "grades" and (name in by or name not in BY)]
    table: list[list[Any]] = []
    for row in rows:
        per_grade = [(row.grades or {}).get(str(grade), 0.0) for grade in grades]
        table.append([*(getattr(row, name) for name in columns), *per_grade])
    names = [*columns, *(f"grade_{grade}" for grade in grades)]
    click.echo(render(table, names if style == "csv" else [name.replace("_", " ") for name in names], style=style))
    bare = sum(row.without_text for row in rows)
    if bare:
        aside(f"{counted(bare, 'query has', 'queries have')} no text, and so neither length nor type.")
