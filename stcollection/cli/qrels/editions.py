"""Commands that list, describe and compare editions of the judgments."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click
import orjson

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import marked, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.evaluation.asks import Hidden, hidden
from stcollection.io.qrels.judgments import SCALES
from stcollection.qrels.diff import CHANGES, GradeMove, JudgmentChange, by_grade, by_query, changes, diff
from stcollection.qrels.editions import EditionOverview, describe, editions

_COLUMNS = (
    "edition", "split", "year", "queries", "judgments", "grades", "origins", "rows", "subtopics", "scale", "sealed", "hidden",
    "simulated", "made",
)  # fmt: skip


@command(editions)
def editions_command(call: Call[list[EditionOverview]], *, style: Style = "table") -> None:
    """List the editions with their queries and judgments, by grade and by origin. For editions you may not read, lists only
    names.
    """
    with connect(call.settings) as conn:
        stored = call(conn)
        unseen = [secret for secret in hidden(conn) if secret.edition not in {row.edition for row in stored}]
    if style == "json":
        click.echo(render(stored, list(EditionOverview._fields), style="json"))
        return
    rows = [
        row._asdict()
        | {
            "year": row.year and str(row.year),
            "grades": _counts(row.grades, key=int),
            "origins": _counts(row.origins),
            "subtopics": row.subtopic_judgments or None,
            "scale": _scale(row.scale),
            "sealed": row.sealed and row.sealed.date(),
            "hidden": _seen(row),
            "simulated": "simulated" if row.simulated else None,
            "made": row.made.date(),
        }
        for row in stored
    ]
    facts = ("split", "year", "subtopics", "scale", "sealed", "hidden", "simulated")  # a table omits grades that no edition has
    headers = [name for name in _COLUMNS if name not in facts or style == "csv" or any(row[name] is not None for row in rows)]
    click.echo(render([[row[name] for name in headers] for row in rows], headers, style=style))
    if style == "table" and unseen:
        click.echo("hidden: " + ", ".join(row.edition if row.asks is None else f"{row.edition} ({_asks(row)})" for row in unseen))


def _asks(edition: Hidden) -> str:
    return counted(edition.asks or 0, "request") + " per team" + ("" if edition.left is None else f", {edition.left} left")


def _seen(edition: EditionOverview) -> str | None:
    if edition.hidden:
        return "hidden"
    return f"released {edition.released:%F}" if edition.released else None


def _scale(scale: dict[str, int] | None) -> str | None:
    """Return the name of the mapping, or ``0=0 1=0 2=1`` if it has none."""
    if scale is None:
        return None
    grades = {int(theirs): ours for theirs, ours in scale.items()}
    named = [name for name, known in SCALES.items() if known == grades]
    return named[0] if named else " ".join(f"{theirs}={grades[theirs]}" for theirs in sorted(grades))


def _counts(counts: dict[str, int], *, key: Any = str) -> str:
    """Return grades and counts as ``0: 1,457  1: 401``."""
    return "  ".join(f"{name}: {counts[name]:,}" for name in sorted(counts, key=key))


@command(describe)
def describe_command(call: Call[None]) -> None:
    """Describe an EDITION. Grades do not change. For a sealed edition, only the description can change."""
    if not call.given.keys() - {"edition"}:
        raise click.UsageError("give --description, --split, --year or --scale")
    call.once()
    click.echo(f"{call.given['edition']}: described")


@command(diff)
def diff_command(call: Call[list[GradeMove]], *, judgments: bool = False, style: Style = "table") -> None:
    """Compare edition A with edition B: judgments added, removed and changed, by grade and by query.

    JSON has all three tables. CSV has one row per query and pair of grades, which the other tables summarise.

    :param judgments: Print each judgment that differs.
    """
    a, b = call.given["a"], call.given["b"]
    with connect(call.settings) as conn:
        if judgments:
            click.echo(render(changes(conn, a, b), list(JudgmentChange._fields), style=style))
            return
        cells = call(conn)
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
        record = {
            "a": a, "b": b, "totals": {change: totals[change] for change in CHANGES},
            "grades": [{"a": x, "b": y, "judgments": grades[x, y]} for x, y in sorted(grades, key=_places)],
            "queries": [dict(zip(("query", *CHANGES), row, strict=True)) for row in table],
        }  # fmt: skip
        click.echo(orjson.dumps(marked(record), option=orjson.OPT_INDENT_2).decode())
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
