"""Tables of scores: means with one row per run, and values by query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from stcollection.cli.evaluation._readability import Beside
from stcollection.cli.evaluation._readability import table as readable_table
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.readability import readability
from stcollection.evaluation.score import RunStanding, Score
from stcollection.topics.sets import ALL

if TYPE_CHECKING:
    import psycopg

_MANY = 12  # up to this number of measures are columns


def print_means(
    conn: psycopg.Connection,
    rows: Sequence[RunStanding],
    edition: str,
    measures: Sequence[Measure],
    style: str,
    *,
    also: Mapping[str, Measure],
    reading_depth: int | None = None,
    queries: str = ALL,
) -> None:
    """Print one row per run.

    :param also: further names of the measures, for JSON.
    :param reading_depth: number of documents for readability; None leaves it out.
    :param queries: set of queries for readability.
    """
    if reading_depth is None:
        print_standings(rows, measures, style, also=also)
        return
    table, names = _means(rows, measures, style, also)
    beside = Beside(readability(conn, runs=[row.run for row in rows], k=reading_depth, edition=edition, queries=queries))
    fields = [*names, *beside.FIELDS]
    click.echo(readable_table([(*cells, *beside[row.run]) for cells, row in zip(table, rows, strict=True)], fields, style=style))


def print_standings(rows: Sequence[RunStanding], measures: Sequence[Measure], style: str, *, also: Mapping[str, Measure]) -> None:
    """Print one row per run or, for many measures, one row per measure.

    :param also: further names of the measures, for JSON.
    """
    if not rows:
        aside("no run is stored: 'stc run SYSTEM' makes one, 'stc load --as runs FILE' loads one")
    table, names = _means(rows, measures, style, also)
    if len(measures) > _MANY and style not in ("json", "csv"):
        table, names = list(zip(names[1:], *(cells[1:] for cells in table), strict=True)), ["measure", *(row.run for row in rows)]
    click.echo(render(table, names, style=style))


def print_queries(found: Sequence[Score], measures: Sequence[Measure], style: str, *, also: Mapping[str, Measure]) -> None:
    """Print one row per run and query, one column per measure.

    :param also: further names of the measures, for JSON.
    """
    table: dict[tuple[str, str], dict[str, float]] = {}
    for one in found:
        table.setdefault((one.run, one.query), {})[str(one.measure)] = one.value
    columns = [*map(str, measures), *(also if style == "json" else ())]
    for values in table.values():
        values.update({name: values[str(measure)] for name, measure in also.items() if str(measure) in values})
    rows = [(run, query, *(values.get(name) for name in columns)) for (run, query), values in table.items()]
    click.echo(render(rows, ["run", "query", *columns], style=style))


def _means(
    rows: Sequence[RunStanding], measures: Sequence[Measure], style: str, also: Mapping[str, Measure]
) -> tuple[list[tuple[str | float | None, ...]], list[str]]:
    """Return one row per run, and the names of the columns."""
    table: list[tuple[str | float | None, ...]] = [
        (row.run, *(None if math.isnan(value) else value for value in row.values)) for row in rows
    ]
    names = [str(measure) for measure in measures]
    if style == "json":  # also under the names that the user typed
        places = [names.index(str(measure)) + 1 for measure in also.values()]
        table = [(*cells, *(cells[place] for place in places)) for cells in table]
        names += also
    return table, ["run", *names]
