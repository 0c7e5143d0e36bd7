"""The command ``stc qrels diff``."""

from __future__ import annotations

from collections import Counter

import click
import orjson

from stcollection.cli.output import format_option, marked, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.diff import CHANGES, JudgmentChange, by_grade, by_query, changes, diff


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option("--judgments", is_flag=True, help="Print each judgment that differs.")
@format_option
@click.pass_obj
def command(settings: Settings, a: str, b: str, judgments: bool, style: str) -> None:
    """Compare edition A with edition B: judgments added, removed and changed, by grade and by query.

    JSON has all three tables. CSV has one row per query and pair of grades, which the other tables summarise.
    """
    with connect(settings) as conn:
        if judgments:
            click.echo(render(changes(conn, a, b), list(JudgmentChange._fields), style=style))
            return
        cells = diff(conn, a, b)
    if style == "csv":
        click.echo(render(cells, ["query", "rel_a", "rel_b", "change", "judgments"], style=style))
        return
    totals: Counter[str] = Counter()
    queries = by_query(cells)
    for counts in queries.values():
        totals += counts
    grades = by_grade(cells)
    table = [(query, *(counts[change] for change in CHANGES)) for query, counts in queries.items()]
    if style == "json":
        told = {
            "a": a, "b": b, "totals": {change: totals[change] for change in CHANGES},
            "grades": [{"a": x, "b": y, "judgments": grades[x, y]} for x, y in sorted(grades, key=_places)],
            "queries": [dict(zip(("query", *CHANGES), row, strict=True)) for row in table],
        }  # fmt: skip
        click.echo(orjson.dumps(marked(told), option=orjson.OPT_INDENT_2).decode())
        return
    click.echo(", ".join(f"{totals[change]:,} {change}" for change in CHANGES) + f"; from {a} to {b}")
    if not grades:
        return
    columns = sorted({y for _, y in grades}, key=_place)
    lines = [(_named(x, a), *(grades[x, y] or None for y in columns)) for x in sorted({x for x, _ in grades}, key=_place)]
    click.echo("\n" + render(lines, ["grade", *(_named(y, b) for y in columns)], style=style))
    if moved := [row for row in table if any(row[2:])]:
        click.echo("\n" + render(moved, ["query", *CHANGES], style=style))


def _place(grade: int | None) -> tuple[bool, int]:
    """Return the grades in order; grades of neither edition come last."""
    return grade is None, grade or 0


def _places(grades: tuple[int | None, int | None]) -> tuple[tuple[bool, int], tuple[bool, int]]:
    return _place(grades[0]), _place(grades[1])


def _named(grade: int | None, edition: str) -> str:
    return f"{edition}: {'–' if grade is None else grade}"
