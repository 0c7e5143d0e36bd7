"""``stc score --worst`` and ``stc compare --by query``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.analysis.worst import DifferingQuery, WorstQuery, differing_queries, worst_queries
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.declared import RecordTable

_WIDTH = 60  # characters of a text in a table


@command(worst_queries)
def worst_command(call: Call[RecordTable[WorstQuery]], *, style: Style = "table") -> None:
    rows = call.once()
    if style in ("json", "csv"):
        click.echo(render(rows.table(), list(rows.columns), style=style))
        return
    headers = ["query", "text", "value", "best", "best run", "judged", "misses", "grade", "rank", "elsewhere"]
    click.echo(render([_cells(row) for row in rows], headers, style=style))


@command(differing_queries, figure=lambda _: "differences")
def differences_command(call: Call[RecordTable[DifferingQuery]], *, style: Style = "table") -> None:
    rows = call.once()
    if style in ("json", "csv"):
        click.echo(render(rows.table(), list(rows.columns), style=style))
        return
    headers = ["query", "text", call.group("run"), call.group("against"), "difference"]
    click.echo(render([(row.query, _short(row.text), *row[2:]) for row in rows], headers, style=style))


def _cells(row: WorstQuery) -> list[Any]:
    elsewhere = None if row.missed_run is None else f"{row.missed_elsewhere} in {row.missed_run}"
    missed = None if row.missed is None else f"{row.missed} {_short(row.missed_title)}".strip()
    scores = [row.value, row.best, row.best_run, row.judged]
    return [row.query, _short(row.text), *scores, missed, row.missed_rel, row.missed_rank, elsewhere]


def _short(text: str | None) -> str:
    words = " ".join((text or "").split())
    return words if len(words) <= _WIDTH else f"{words[: _WIDTH - 1]}…"
