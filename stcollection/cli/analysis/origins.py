"""The command ``stc analysis origins``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.analysis.origins import BY, origin_statistics
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.measures import level_option
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument


def _by(_: click.Context, __: click.Parameter, text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in BY:
            raise BadArgument(f"queries by {name!r}", hint="Group by origin, type, or origin,type.", sqlstate="IR202")
    return names


@click.command("origins")
@edition_argument
@click.option(
    "--by", default="origin", show_default=True, callback=_by, metavar="WORDS", help="Grouping: origin, type, or origin,type."
)
@level_option
@format_option
@click.pass_obj
def command(settings: Settings, edition: str, by: list[str], level: int, style: str) -> None:
    """Count and describe the queries of EDITION by origin and by form: number, length, judged and relevant documents.

    Types follow from the form of the (English) text: question-word, yes-no, question, keyword, phrase. Lengths are in words.
    """
    with connect(settings) as conn:
        rows = origin_statistics(conn, edition=edition, by=by, level=level)
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
