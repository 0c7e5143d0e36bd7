"""How the measures of documents go with people's grades of them: Spearman's rho and Kendall's tau-b, with intervals.

A document that several people graded is one document: intervals come from drawing documents, p from exchanging documents' values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stcollection.analysis.annotations import GRADES, Bootstrap, Floats, Graded, Ints
from stcollection.analysis.corrections import holm
from stcollection.qrels.resampling import draw

_HELD = 1 << 20  # grades of documents drawn at a time: a block stays small
_SLACK = 1e-12


class Value(NamedTuple):
    """A correlation. :param low, high: its interval. :param p: of none at all; p_holm: corrected for the measures of the group."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None


class Correlation(NamedTuple):
    """One measure and the grades of one group. :param group: None for all. :param n, documents: grades, documents with a value."""

    measure: str
    group: str | None
    n: int
    documents: int
    spearman: Value
    kendall: Value
    note: str | None


def correlate(grades: Graded, *, bootstrap: Bootstrap) -> list[Correlation]:
    """Each measure with the grade, by group (of several also over all); by measure and group.

    Every grade is an observation. Intervals: percentiles over documents drawn with replacement with all their grades. p, two-sided:
    how often the correlation is as far from 0 when the documents' values change places at random, (count + 1) / (resamples + 1); a
    document keeps its grades together. Holm's correction is over the measures of a group. The draws are the same for all measures.
    """
    parts: list[int | None] = [*range(len(grades.groups)), *([None] if len(grades.groups) > 1 else [])]
    found = {group: _of_group(grades, group, bootstrap) for group in parts}
    return [found[group][place] for place in range(len(grades.measures)) for group in parts]


def coefficients(cells: Floats) -> tuple[Floats, Floats]:
    """Spearman's rho and Kendall's tau-b of many tables: float64[tables] each, NaN where a margin is one value alone.

    rho is Pearson's of the ranks, equal ones at their mean; tau-b = (C - D) / sqrt((C + D + T) (C + D + U)) as in
    sql/analysis/kendall_tau.sql. Equal to scipy.stats.

    :param cells: float64[3, tables, values]: how often each grade goes with each value of the measure, values ascending.
    """
    rows, columns = cells.sum(axis=0), cells.sum(axis=2)  # by value, by grade
    n = rows.sum(axis=1)
    before = np.cumsum(cells, axis=2) - cells
    order = np.zeros(len(n))
    for more in range(1, GRADES):
        for less in range(more):
            order += (cells[more] * before[less]).sum(axis=1) - (cells[less] * before[more]).sum(axis=1)
    apart_x, apart_y = n**2 - (rows**2).sum(axis=1), n**2 - (columns**2).sum(axis=0)
    value_ranks = before.sum(axis=0) + (rows - n[:, None]) / 2  # their mean is 0
    grade_ranks = np.cumsum(columns, axis=0) - (columns + n) / 2
    together = (value_ranks * (cells * grade_ranks[:, :, None]).sum(axis=0)).sum(axis=1)
    spread = (rows * value_ranks**2).sum(axis=1) * (columns * grade_ranks**2).sum(axis=0)
    defined = (apart_x > 0) & (apart_y > 0)
    rho = together / np.sqrt(np.where(defined, spread, np.nan))
    tau = 2 * order / np.sqrt(np.where(defined, apart_x * apart_y, np.nan))
    return rho, tau


@dataclass
class _Column:
    """One measure of one group, and what came of its draws. :param order: the documents by value; starts: where a value begins."""

    order: Ints
    starts: Ints
    drawn: list[tuple[Floats, Floats]] = field(default_factory=list)
    exchanged: list[tuple[Floats, Floats]] = field(default_factory=list)

    def table(self, weights: Floats) -> Floats:
        """float64[3, tables, values] of float64[3, tables, documents], which are in the order of the documents."""
        return self.folded(weights[:, :, self.order])

    def folded(self, sorted_: Floats) -> Floats:
        return sorted_ if len(self.starts) == sorted_.shape[2] else np.add.reduceat(sorted_, self.starts, axis=2)


def _of_group(grades: Graded, group: int | None, bootstrap: Bootstrap) -> list[Correlation]:
    counts = grades.counts(group)
    rows: dict[int, Correlation] = {}
    told: npt.NDArray[np.bool_] = ~np.isnan(grades.values) & (counts.sum(axis=1) > 0)[:, None]
    name = None if group is None else grades.groups[group]
    alike: dict[bytes, list[int]] = {}
    for place in range(len(grades.measures)):
        alike.setdefault(told[:, place].tobytes(), []).append(place)
    for places in alike.values():
        documents = np.flatnonzero(told[:, places[0]])
        seen = counts[documents]
        columns = {place: _column(grades.values[documents, place]) for place in places} if len(documents) else {}
        note = _undefined(seen)
        if note is None:
            _draw(columns, seen, bootstrap)
        for place in places:
            measure, n = grades.measures[place], int(seen.sum())
            one = columns.get(place)
            why = note or (None if one is not None and len(one.starts) > 1 else "one value throughout")
            rho, tau = (Value(), Value()) if why or one is None else _values(one, seen, bootstrap)
            rows[place] = Correlation(measure, name, n, len(documents), rho, tau, why)
    return _corrected([rows[place] for place in range(len(grades.measures))])


def _undefined(counts: Floats) -> str | None:
    if not len(counts):
        return "no graded document has it"
    if np.count_nonzero(counts.any(axis=0)) < 2:
        return "one grade throughout"
    return None


def _column(values: Floats) -> _Column:
    order = np.argsort(values, kind="stable")
    return _Column(order.astype(np.int64), np.flatnonzero(np.diff(values[order], prepend=-np.inf) > 0))


def _draw(columns: dict[int, _Column], counts: Floats, bootstrap: Bootstrap) -> None:
    by_grade = np.ascontiguousarray(counts.T)[:, None, :]
    for weights in _tallies(len(counts), bootstrap):
        drawn = weights * by_grade
        for column in columns.values():
            column.drawn.append(coefficients(column.table(drawn)))
    for places in _exchanges(len(counts), bootstrap):
        exchanged = by_grade[:, 0, :][:, places]  # any order of the documents will do: all are equally likely
        for column in columns.values():
            column.exchanged.append(coefficients(column.folded(exchanged)))


def _blocks(n: int, resamples: int) -> Iterator[int]:
    step = max(1, _HELD // n)
    for begin in range(0, resamples, step):
        yield min(step, resamples - begin)


def _tallies(n: int, bootstrap: Bootstrap) -> Iterator[Floats]:
    """How often each of n documents is drawn: float64[tables, n] a time."""
    bits = np.random.PCG64(bootstrap.seed)
    for rows in _blocks(n, bootstrap.resamples):
        places = draw(bits, rows, n) + n * np.arange(rows)[:, None]
        yield np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _exchanges(n: int, bootstrap: Bootstrap) -> Iterator[Ints]:
    """Documents in random order: int64[tables, n] a time."""
    bits = np.random.PCG64(bootstrap.seed + 1)
    for rows in _blocks(n, bootstrap.resamples):
        yield np.argsort(bits.random_raw(rows * n).reshape(rows, n), axis=1, kind="stable")


def _values(column: _Column, counts: Floats, bootstrap: Bootstrap) -> tuple[Value, Value]:
    found = coefficients(column.table(counts.T[:, None, :]))
    values = []
    for place, one in enumerate(found):
        value = float(one[0])
        drawn, exchanged = (np.concatenate([pair[place] for pair in part]) for part in (column.drawn, column.exchanged))
        low, high = bootstrap.interval(drawn)
        reached = np.count_nonzero(np.abs(exchanged) >= abs(value) - _SLACK)
        values.append(Value(value, low, high, (reached + 1) / (len(exchanged) + 1)))
    return values[0], values[1]


def _corrected(rows: list[Correlation]) -> list[Correlation]:
    """With Holm's p over the rows, one family a coefficient."""
    rho, tau = _with_holm([row.spearman for row in rows]), _with_holm([row.kendall for row in rows])
    return [row._replace(spearman=rho[at], kendall=tau[at]) for at, row in enumerate(rows)]


def _with_holm(values: list[Value]) -> list[Value]:
    p = holm([np.nan if one.p is None else one.p for one in values])
    return [one if one.p is None else one._replace(p_holm=float(p[at])) for at, one in enumerate(values)]
