"""Agreement between two sets of judgments, on the documents that both graded.

A *side* is named ``EDITION``, ``EDITION:ORIGIN``, ``EDITION:ORIGIN/ANNOTATOR`` or ``EDITION:/ANNOTATOR``, or, for grades on sheets,
``pool:POOL`` or ``pool:POOL/ANNOTATOR``; see sql/qrels/agreement_readings.sql. The measures are SQL functions
(sql/qrels/agreement.sql); this module adds bootstrap intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Annotated, NamedTuple

import numpy as np
import psycopg

from stcollection.counts import counted
from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import INTERNAL, Option
from stcollection.errors import BadArgument, translate
from stcollection.qrels.resampling import Floats, Ints, estimates, resample_clusters, resample_pairs
from stcollection.topics.sets import ALL, SetExpression

# Measures with their descriptions, in the order of the columns of the SQL function.
MEASURES = {
    "accuracy": "share of the documents with the same grade",
    "binary_accuracy": "share of the documents on the same side of --min-grade",
    "kappa": "Cohen's kappa, unweighted",
    "kappa_linear": "Cohen's kappa, linear weights",
    "kappa_quadratic": "Cohen's kappa, quadratic weights",
    "binary_kappa": "Cohen's kappa of relevant and not relevant",
    "alpha_nominal": "Krippendorff's alpha, nominal distance",
    "alpha_ordinal": "Krippendorff's alpha, ordinal distance",
    "alpha_interval": "Krippendorff's alpha, interval distance",
    "tau": "Kendall's tau-b of the grades",
    "rho": "Spearman's rho of the grades",
    "mae": "mean absolute difference of the grades",
    "bias": "mean difference, other minus reference",
}
RESAMPLED = ("query", "topic", "pair")
_AGREEMENT = "SELECT * FROM agreement(%s, %s::text[], %s, %s, %s, %s)"
_CONFUSION = "SELECT * FROM agreement_confusion(%s, %s::text[], %s, %s)"
_GRADES = "SELECT * FROM stc.agreement_grades(%s, %s::text[], %s, %s)"


class Confusion(NamedTuple):
    """A cell of the confusion table of a query and two sides. :param topic: the query's name if it has no topic."""

    place: int
    reference: str
    other: str
    topic: str
    query: str
    reference_rel: int
    other_rel: int
    pairs: int


class GradeAgreement(NamedTuple):
    """Precision and recall of one grade of the reference. :param in_reference, in_other, in_both: counts of documents."""

    reference: str
    other: str
    rel: int
    in_reference: int
    in_other: int
    in_both: int
    rel_precision: float | None
    rel_recall: float | None


class Alpha(NamedTuple):
    """Krippendorff's alpha of several sides together. :param documents, judgments: numbers that enter the computation."""

    unit: str | None
    annotators: int
    documents: int
    judgments: int
    alpha_nominal: float | None
    alpha_ordinal: float | None
    alpha_interval: float | None


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """One row of the SQL function agreement: a comparison, or its part for one topic or query.

    :param unit: the topic or query; None for the whole comparison. :param pairs: number of (query, document) that both graded.
    :param intervals: lower and upper bound by measure; (None, None) if undefined. :param note: why a value is missing.
    """

    reference: str
    other: str
    unit: str | None
    queries: int
    pairs: int
    grades: int
    accuracy: float | None
    binary_accuracy: float | None
    kappa: float | None
    kappa_linear: float | None
    kappa_quadratic: float | None
    binary_kappa: float | None
    alpha_nominal: float | None
    alpha_ordinal: float | None
    alpha_interval: float | None
    tau: float | None
    rho: float | None
    mae: float | None
    bias: float | None
    note: str | None
    intervals: dict[str, tuple[float | None, float | None]] | None = None

    def value(self, measure: str) -> float | None:
        """Return the value of one of MEASURES."""
        value: float | None = getattr(self, measure)
        return value


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """Percentile intervals from resampled judgments (Efron & Tibshirani, 1993).

    :param of: unit of resampling with replacement. Documents of a ``query`` depend on each other, and so do queries of a ``topic``.
        Resampling each ``pair`` of judgments assumes independence and gives intervals that are too narrow.
    :param seed: at least 0. The draws are the same on every machine, and for all comparisons of the same queries.
    :param level: confidence level, in (0, 1).
    """

    resamples: int = 1000
    seed: int = 1
    of: str = "query"
    level: float = 0.95

    def check(self, by: str) -> None:
        """Check the options of the bootstrap against the unit of the report.

        :raises BadArgument: a value is out of range, or a unit of the report contains only one unit of resampling.
        """
        if self.resamples < 1 or self.seed < 0 or not 0 < self.level < 1:
            raise BadArgument(
                f"{counted(self.resamples, 'resample')}, seed {self.seed}, level {self.level}",
                hint="Use at least 1 resample, a seed of at least 0 and a level between 0 and 1 (defaults: 1000, 1, 0.95).",
            )
        if self.of not in RESAMPLED:
            raise BadArgument(f"{self.of!r} cannot be resampled", hint=f"Use one of {', '.join(RESAMPLED)}.")
        if self.of == by or (self.of, by) == ("topic", "query"):
            raise BadArgument(f"an interval per {by} cannot come from resampling by {self.of}", hint="Resample by pair.")


@translate()
def side_name(conn: psycopg.Connection, edition: str, *, origin: str | None = None, annotator: str | None = None) -> str:
    """Return the name of a side from its parts, with special characters escaped. None means any."""
    row = conn.execute("SELECT stc.agreement_name(%s, %s, %s)", [edition, origin, annotator]).fetchone()
    return str(row[0]) if row else edition


@note_simulated("reference", "others")
@translate()
def agreement(
    conn: psycopg.Connection,
    reference: Annotated[str, Option("REFERENCE")],
    others: Annotated[Sequence[str], Option("OTHERS")] = (),
    *,
    binary_from: Annotated[int, Option("--min-grade")] = 1,
    by: Annotated[str, INTERNAL] = "all",
    every: Annotated[bool, Option("--all-pairs")] = False,
    queries: SetExpression = ALL,
    bootstrap: Annotated[Bootstrap | None, INTERNAL] = None,
    measures: Annotated[Sequence[str], INTERNAL] = tuple(MEASURES),
) -> list[Agreement]:
    """Measure the agreement of judgments with those of other sides.

    :param others: sides to compare with the reference. Default: the other annotators of the reference's edition; if it has human
        and other annotators, the others are compared with the human ones, else all pairs are compared.
    :param binary_from: Lowest grade that counts as relevant.
    :param by: all, topic or query.
    :param every: Compare all pairs, not only each with the reference.
    :param measures: those of MEASURES that get intervals.
    :returns: rows in the order of the others, then by unit.
    :raises UnknownObject: an edition is not stored, or has no judgments by that origin or annotator; the set names no query.
    :raises BadArgument: unknown unit or origin, ambiguous name, or invalid bootstrap options.
    :raises StateError: there is nothing to compare with.
    """
    if bootstrap is not None:
        bootstrap.check(by)
    compared = records(conn, Agreement, _AGREEMENT, [reference, list(others), binary_from, by, every, queries])
    if bootstrap is None:
        return compared
    rows = confusion(conn, reference, others, every=every, queries=queries)
    tables = {(t.reference, t.other, t.unit): t for t in _tables(rows, by=by, of=bootstrap.of)}
    return [
        _with_intervals(row, tables.get((row.reference, row.other, row.unit)), bootstrap, binary_from, measures) for row in compared
    ]


@note_simulated("reference", "others")
@translate()
def confusion(
    conn: psycopg.Connection, reference: str, others: Sequence[str] = (), *, every: bool = False, queries: str = ALL
) -> list[Confusion]:
    """Return confusion tables per query, by comparison, query and grades; sides and errors as for :func:`agreement`."""
    return records(conn, Confusion, _CONFUSION, [reference, list(others), every, queries])


@note_simulated("reference", "others")
@translate()
def grades(
    conn: psycopg.Connection, reference: str, others: Sequence[str] = (), *, every: bool = False, queries: str = ALL
) -> list[GradeAgreement]:
    """Return precision and recall of each grade; sides and errors as for :func:`agreement`."""
    return records(conn, GradeAgreement, _GRADES, [reference, list(others), every, queries])


@note_simulated("sides")
@translate()
def alpha(conn: psycopg.Connection, sides: Sequence[str], *, by: str = "all", queries: str = ALL) -> list[Alpha]:
    """Return Krippendorff's alpha over several sides, or over all annotators of one edition; errors as for :func:`agreement`."""
    return records(conn, Alpha, "SELECT * FROM agreement_alpha(%s::text[], %s, %s)", [list(sides), by, queries])


def ranked(rows: Iterable[Agreement], measure: str) -> list[Agreement]:
    """Sort by unit, then by a measure, best agreement first (least error or bias); undefined last, ties by name."""

    def key(row: Agreement) -> tuple[str, bool, float, str, str]:
        value = row.value(measure)
        worse = 0.0 if value is None else abs(value) if measure in ("mae", "bias") else -value
        return row.unit or "", value is None, worse, row.other, row.reference

    return sorted(rows, key=key)


@dataclass(frozen=True)
class _Table:
    """Confusion table of a comparison and unit: counts float64[clusters, cells]; grades x and y int64[cells]."""

    reference: str
    other: str
    unit: str | None
    counts: Floats
    x: Ints
    y: Ints


def _tables(rows: Iterable[Confusion], *, by: str, of: str) -> Iterable[_Table]:
    def unit(row: Confusion) -> str | None:
        return row.topic if by == "topic" else row.query if by == "query" else None

    def key(row: Confusion) -> tuple[int, str]:
        return row.place, unit(row) or ""

    for _, group in groupby(sorted(rows, key=key), key=key):
        part = list(group)
        clusters = {name: at for at, name in enumerate(sorted({row.topic if of == "topic" else row.query for row in part}))}
        cells = {cell: at for at, cell in enumerate(sorted({(row.reference_rel, row.other_rel) for row in part}))}
        counts = np.zeros((len(clusters), len(cells)))
        for entry in part:
            cluster = clusters[entry.topic if of == "topic" else entry.query]
            counts[cluster, cells[entry.reference_rel, entry.other_rel]] += entry.pairs
        x, y = np.array(list(cells), dtype=np.int64).T
        yield _Table(part[0].reference, part[0].other, unit(part[0]), counts, x, y)


def _with_intervals(
    row: Agreement, table: _Table | None, bootstrap: Bootstrap, binary_from: int, measures: Sequence[str]
) -> Agreement:
    """Return the row with its intervals, or without if there is one cluster only or no resample has a value."""
    intervals: dict[str, tuple[float | None, float | None]] = dict.fromkeys(measures, (None, None))
    drawn = 0 if table is None else int(table.counts.sum()) if bootstrap.of == "pair" else len(table.counts)
    if table is None or drawn < 2:
        lone = None if table is None else f"no interval: one {bootstrap.of}"
        return replace(row, intervals=intervals, note="; ".join(filter(None, [row.note, lone])) or None)
    resample = resample_pairs if bootstrap.of == "pair" else resample_clusters
    counts = resample(table.counts, resamples=bootstrap.resamples, seed=bootstrap.seed)
    tails = [50 * (1 - bootstrap.level), 50 * (1 + bootstrap.level)]
    missing: dict[int, list[str]] = {}
    sampled = estimates(counts, table.x, table.y, binary_from=binary_from)
    for measure in measures:
        values = sampled[measure]
        defined = values[np.isfinite(values)]
        if defined.size and row.value(measure) is not None:
            low, high = np.percentile(defined, tails)
            intervals[measure] = float(low), float(high)
            if defined.size < values.size:
                missing.setdefault(values.size - defined.size, []).append(measure)
    notes = [
        f"undefined in {count:,} of {counted(bootstrap.resamples, 'resample')}: {', '.join(names)}"
        for count, names in missing.items()
    ]
    return replace(row, intervals=intervals, note="; ".join(filter(None, [row.note, *notes])) or None)
