"""The data of a figure as a table, from the record that it was drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from stcollection.analysis.collection_records import (
    CollectionHistory,
    DocumentYears,
    EditionHistory,
    EditionMeans,
    EffectOverTime,
    SnapshotScore,
    YearCount,
)
from stcollection.analysis.records import (
    AnnotationMean,
    Bias,
    Bins,
    Correlations,
    FamilyShift,
    GradeDistributions,
    GradeMeans,
    Growth,
    GrowthCurves,
    PoolDepths,
    QueryDifferences,
    QuerySetMeans,
    RankedRun,
    RankingChanges,
    RankIntervals,
    ReadableRuns,
    ReadRun,
    Slope,
    Spread,
    Spreads,
    SystemMeans,
)
from stcollection.plots.canvas import Figure, record_of
from stcollection.plots.origins import OriginMeans


class FigureTable(NamedTuple):
    """Rows under column names; a missing value is None. :param simulated: the note of the figure on simulated data."""

    columns: list[str]
    rows: list[list[Any]]
    simulated: str | None = None


def table_of(figure: Figure) -> FigureTable:
    """Return the data that a figure shows.

    :raises TypeError: the figure was not drawn by a function of :mod:`stcollection.plots`.
    """
    record = record_of(figure)
    columns, rows = table(record)
    cells = [[_plain(cell) for cell in row] for row in rows]
    return FigureTable(list(columns), cells, getattr(record, "simulated", None))


def _plain(cell: Any) -> Any:
    """Return a numpy number as Python's, and NaN as None."""
    value = cell.item() if isinstance(cell, np.generic) else cell
    return None if isinstance(value, float) and value != value else value


Parts = tuple[Sequence[str], Iterable[Sequence[Any]]]


# Records whose figure shows their rows unchanged: the attribute with the rows, of a named tuple.
_ROWS: dict[type, tuple[str, type[Any]]] = {
    RankIntervals: ("runs", RankedRun),
    RankingChanges: ("runs", Slope),
    GradeMeans: ("rows", AnnotationMean),
    ReadableRuns: ("runs", ReadRun),
    GrowthCurves: ("points", Growth),
    Bias: ("families", FamilyShift),
}


@singledispatch
def table(record: Any) -> Parts:
    """Return the columns and rows of a record."""
    if type(record) not in _ROWS:
        raise TypeError(f"{type(record).__name__} is not the record of a figure")
    rows, row = _ROWS[type(record)]
    return row._fields, getattr(record, rows)


@table.register
def _(record: SystemMeans) -> Parts:
    rows = ((score.run, int(np.sum(~np.isnan(score.values))), score.mean, score.low, score.high) for score in record.scores)
    return ("run", "queries", "mean", "low", "high"), rows


@table.register
def _(record: QueryDifferences) -> Parts:
    return ("query", "difference"), zip(record.queries, record.differences, strict=True)


@table.register
def _(record: PoolDepths) -> Parts:
    estimates: Sequence[float | None] = record.estimates or [None] * len(record.documents)
    return (
        ("depth", "documents", "judged", "relevant", "estimate"),
        zip(range(1, len(record.documents) + 1), record.documents, record.judged, record.relevant_found, estimates, strict=True),
    )


@table.register
def _(record: GradeDistributions) -> Parts:
    rows = ((row.edition, row.origin, grade, row.counts[grade]) for row in record.rows for grade in sorted(row.counts))
    return ("edition", "origin", "grade", "judgments"), rows


@table.register
def _(record: Spreads) -> Parts:
    return (record.by, *Spread._fields[1:]), record.rows


@table.register
def _(record: Bins) -> Parts:
    x, y, counts = record.x_edges, record.y_edges, record.counts
    cells = ((x[i], x[i + 1], y[j], y[j + 1], int(counts[i, j])) for i, j in np.argwhere(counts > 0))
    return ("x_from", "x_to", "y_from", "y_to", "documents"), cells


@table.register
def _(record: Correlations) -> Parts:
    names = record.measures
    return ("measure", "other", "rho"), ((a, b, record.rho[i, j]) for i, a in enumerate(names) for j, b in enumerate(names))


@table.register
def _(record: QuerySetMeans | EditionMeans) -> Parts:
    names = ("run", "family", "mean_a", "mean_b")
    return names, zip(record.runs, record.families, record.means_a, record.means_b, strict=True)


@table.register
def _(record: OriginMeans) -> Parts:
    return ("run", "origin", "mean"), ((row.run, *pair) for row in record.rows for pair in row.values.items())


@table.register
def _(record: DocumentYears) -> Parts:
    return YearCount._fields, [*record.years, *([(None, record.without, None)] if record.without else [])]


@table.register
def _(record: CollectionHistory) -> Parts:
    return EditionHistory._fields, ((*edition[:3], f"{edition.made:%F}", *edition[4:]) for edition in record.editions)


@table.register
def _(record: EffectOverTime) -> Parts:
    return (*SnapshotScore._fields, "lead"), ((*day, day.arp - day.baseline_arp) for day in record.days)
