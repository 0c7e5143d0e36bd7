"""Correlation of document measures with people's grades: Spearman's rho and Kendall's tau-b, with intervals.

A document that several people graded counts as one unit: intervals come from resampling documents, and p from permuting the values
of documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stcollection.analysis.annotations import AnnotationBootstrap, AspectGrades, Floats, Ints
from stcollection.analysis.corrections import holm
from stcollection.qrels.resampling import draw

_HELD = 1 << 17  # cells drawn per block; bounds the memory used
_SLACK = 1e-12


class Value(NamedTuple):
    """A correlation coefficient with its interval (low, high), its p-value, and p_holm, corrected over the group's measures."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None


class Correlation(NamedTuple):
    """Correlation of one measure with the grades of one group.

    :param group: None for all groups together.
    :param n: number of grades.
    :param documents: number of graded documents that have the measure.
    :param note: why there is no value; None if there is one.
    """

    measure: str
    group: str | None
    n: int
    documents: int
    spearman: Value
    kendall: Value
    note: str | None


def correlate(grades: AspectGrades, *, bootstrap: AnnotationBootstrap) -> list[Correlation]:
    """Correlate each measure with the grades, per group and, if there are several groups, over all of them.

    Every grade is an observation. Intervals are percentiles over documents drawn with replacement, each with all its grades. p is
    two-sided: the share of random permutations of the documents' values in which the correlation is as far from 0, computed as
    (count + 1) / (resamples + 1). A permutation keeps the grades of a document together. Holm's correction covers the measures of a
    group. All measures use the same draws.

    :returns: rows sorted by measure, then group.
    """
    parts: list[int | None] = [*range(len(grades.groups)), *([None] if len(grades.groups) > 1 else [])]
    of_group = {group: _of_group(grades, group, bootstrap) for group in parts}
    return [of_group[group][place] for place in range(len(grades.measures)) for group in parts]


def coefficients(zeros: Floats, ones: Floats, twos: Floats) -> tuple[Floats, Floats]:
    """Compute Spearman's rho and Kendall's tau-b of many tables: float64[tables] each, NaN if a margin has a single value.

    rho is Pearson's correlation of the ranks, with mean ranks for ties; tau-b = (C - D) / sqrt((C + D + T) (C + D + U)) as in
    sql/analysis/kendall_tau.sql. Both equal scipy.stats. Both follow from three sums over the values. Let m(g) be the sum, over all
    observations with grade g, of the number with a lower value plus half the number with an equal value. Let k(g, h) be the same,
    counting only observations with grade h. Then m(g) = sum of k(g, h) over h, k(g, h) + k(h, g) = n(g) n(h), and
    C - D = sum of 2 k(g, h) - n(g) n(h) over g > h.

    :param zeros, ones, twos: float64[tables, values]: how often that grade occurs with each value of the measure; values ascending.
    """
    rows = zeros + ones + twos
    a, b, c = zeros.sum(axis=1), ones.sum(axis=1), twos.sum(axis=1)
    n = a + b + c
    middle = np.cumsum(rows, axis=1)
    middle -= 0.5 * rows
    m_one, m_two = _dots(ones, middle), _dots(twos, middle)
    m_zero = n**2 / 2 - m_one - m_two
    middle = np.cumsum(zeros, axis=1)
    middle -= 0.5 * zeros
    k_one_zero = _dots(ones, middle)
    k_two_one = k_one_zero + b**2 / 2 + b * c - m_one
    k_two_zero = m_two - k_two_one - c**2 / 2
    order = 2 * (k_one_zero + k_two_zero + k_two_one) - a * b - a * c - b * c
    squares = rows * rows
    apart_x, apart_y = n**2 - squares.sum(axis=1), n**2 - a**2 - b**2 - c**2
    ranks = (a - n) / 2, a + (b - n) / 2, (n - c) / 2  # ranks of the grades, centred on 0
    together = ranks[0] * m_zero + ranks[1] * m_one + ranks[2] * m_two
    spread = (n**3 - _dots(squares, rows)) * (n**3 - a**3 - b**3 - c**3)
    defined = (apart_x > 0) & (apart_y > 0)
    rho = 12 * together / np.sqrt(np.where(defined, spread, np.nan))
    tau = 2 * order / np.sqrt(np.where(defined, apart_x * apart_y, np.nan))
    return rho, tau


def _dots(x: Floats, y: Floats) -> Floats:
    return np.asarray(np.einsum("tv,tv->t", x, y))


@dataclass
class _Column:
    """One measure within one group, and the coefficients of its resamples.

    :param order: the documents sorted by value.
    :param starts: the positions in that order at which a new value begins.
    """

    order: Ints
    starts: Ints
    drawn: list[tuple[Floats, Floats]] = field(default_factory=list)
    exchanged: list[tuple[Floats, Floats]] = field(default_factory=list)

    def tables(self, cells: Floats) -> tuple[Floats, Floats, Floats]:
        """Sum float64[3, tables, documents], sorted by value, into counts per value and grade: three float64[tables, values]."""
        folded = cells if len(self.starts) == cells.shape[2] else np.add.reduceat(cells, self.starts, axis=2)
        return folded[0], folded[1], folded[2]


def _of_group(grades: AspectGrades, group: int | None, bootstrap: AnnotationBootstrap) -> list[Correlation]:
    counts = grades.counts(group)
    rows: dict[int, Correlation] = {}
    has_value: npt.NDArray[np.bool_] = ~np.isnan(grades.values) & (counts.sum(axis=1) > 0)[:, None]
    name = None if group is None else grades.groups[group]
    alike: dict[bytes, list[int]] = {}
    for place in range(len(grades.measures)):
        alike.setdefault(has_value[:, place].tobytes(), []).append(place)
    for places in alike.values():
        documents = np.flatnonzero(has_value[:, places[0]])
        seen = counts[documents]
        columns = {place: _column(grades.values[documents, place]) for place in places} if len(documents) else {}
        note = _undefined(seen)
        if note is None:
            _draw(columns, seen, bootstrap)
        for place in places:
            measure, n = grades.measures[place], int(seen.sum())
            column = columns.get(place)
            why = note or (None if column is not None and len(column.starts) > 1 else "all values are equal")
            rho, tau = (Value(), Value()) if why or column is None else _values(column, seen, bootstrap)
            rows[place] = Correlation(measure, name, n, len(documents), rho, tau, why)
    return _corrected([rows[place] for place in range(len(grades.measures))])


def _undefined(counts: Floats) -> str | None:
    if not len(counts):
        return "no graded document has a value"
    if np.count_nonzero(counts.any(axis=0)) < 2:
        return "all grades are equal"
    return None


def _column(values: Floats) -> _Column:
    order = np.argsort(values, kind="stable")
    return _Column(order.astype(np.int64), np.flatnonzero(np.diff(values[order], prepend=-np.inf) > 0))


def _draw(columns: dict[int, _Column], counts: Floats, bootstrap: AnnotationBootstrap) -> None:
    by_grade = np.ascontiguousarray(counts.T)
    of = {place: np.ascontiguousarray(by_grade[:, column.order])[:, None, :] for place, column in columns.items()}
    for weights in _tallies(len(counts), bootstrap):
        for place, column in columns.items():
            column.drawn.append(coefficients(*column.tables(np.take(weights, column.order, axis=1) * of[place])))
    for places in _exchanges(len(counts), bootstrap):
        exchanged = np.take(by_grade, places, axis=1)  # the initial order does not matter: all orders are equally likely
        for column in columns.values():
            column.exchanged.append(coefficients(*column.tables(exchanged)))


def _blocks(n: int, resamples: int) -> Iterator[int]:
    step = max(1, _HELD // n)
    for begin in range(0, resamples, step):
        yield min(step, resamples - begin)


def _tallies(n: int, bootstrap: AnnotationBootstrap) -> Iterator[Floats]:
    """Yield how often each of n documents is drawn: float64[tables, n] per block."""
    bits = np.random.PCG64(bootstrap.seed)
    for rows in _blocks(n, bootstrap.resamples):
        places = draw(bits, rows, n) + n * np.arange(rows)[:, None]
        yield np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _exchanges(n: int, bootstrap: AnnotationBootstrap) -> Iterator[Ints]:
    """Yield documents in random order: int64[tables, n] per block."""
    bits = np.random.PCG64(bootstrap.seed + 1)
    for rows in _blocks(n, bootstrap.resamples):
        yield np.argsort(bits.random_raw(rows * n).reshape(rows, n), axis=1, kind="stable")


def _values(column: _Column, counts: Floats, bootstrap: AnnotationBootstrap) -> tuple[Value, Value]:
    estimates = coefficients(*column.tables(counts.T[:, None, column.order]))
    values = []
    for place, estimate in enumerate(estimates):
        value = float(estimate[0])
        drawn, exchanged = (np.concatenate([pair[place] for pair in part]) for part in (column.drawn, column.exchanged))
        low, high = bootstrap.interval(drawn)
        reached = np.count_nonzero(np.abs(exchanged) >= abs(value) - _SLACK)
        values.append(Value(value, low, high, (reached + 1) / (len(exchanged) + 1)))
    return values[0], values[1]


def _corrected(rows: list[Correlation]) -> list[Correlation]:
    """Add Holm's corrected p over the rows, one family per coefficient."""
    rho, tau = _with_holm([row.spearman for row in rows]), _with_holm([row.kendall for row in rows])
    return [row._replace(spearman=rho[at], kendall=tau[at]) for at, row in enumerate(rows)]


def _with_holm(values: list[Value]) -> list[Value]:
    p = holm([np.nan if value.p is None else value.p for value in values])
    return [value if value.p is None else value._replace(p_holm=float(p[at])) for at, value in enumerate(values)]
