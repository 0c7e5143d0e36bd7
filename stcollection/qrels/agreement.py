"""How far judgments agree: any set of them against any other, on the documents that both graded.

A *side* is named ``EDITION``, ``EDITION:ORIGIN``, ``EDITION:ORIGIN/ANNOTATOR`` or ``EDITION:/ANNOTATOR``; see
sql/qrels/agreement_readings.sql. The measures are SQL functions (sql/qrels/agreement.sql); this adds their bootstrap intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
import psycopg
from psycopg.rows import class_row

from stcollection.errors import BadArgument, translate
from stcollection.qrels.resampling import Floats, Ints, estimates, resample_clusters, resample_pairs

# What each says, in the order of the columns of the SQL function.
MEASURES = {
    "accuracy": "share of the documents with the same grade",
    "binary_accuracy": "share of the documents on the same side of --binary-from",
    "kappa": "Cohen's, all disagreements alike",
    "kappa_linear": "Cohen's, a disagreement counts by its distance",
    "kappa_quadratic": "Cohen's, by its distance squared",
    "binary_kappa": "Cohen's, of relevant or not",
    "alpha_nominal": "Krippendorff's, all disagreements alike",
    "alpha_ordinal": "Krippendorff's, by ranks",
    "alpha_interval": "Krippendorff's, by the distance squared",
    "tau": "Kendall's tau-b of the grades",
    "rho": "Spearman's of the grades",
    "mae": "mean absolute difference of the grades",
    "bias": "mean difference, other minus reference",
}
RESAMPLED = ("query", "topic", "pair")
_AGREEMENT = "SELECT * FROM agreement(%s, %s::text[], %s, %s, %s)"
_CONFUSION = "SELECT * FROM agreement_confusion(%s, %s::text[], %s)"


class Confusion(NamedTuple):
    """How many documents of a query two sides give which grades. :param topic: the query's name where it has no topic."""

    place: int
    reference: str
    other: str
    topic: str
    query: str
    reference_rel: int
    other_rel: int
    pairs: int


class GradeAgreement(NamedTuple):
    """How well the other side finds the documents to which the reference gives one grade; in_*: documents that both graded."""

    reference: str
    other: str
    rel: int
    in_reference: int
    in_other: int
    in_both: int
    rel_precision: float | None
    rel_recall: float | None


class Alpha(NamedTuple):
    """Krippendorff's alpha of several sides together. :param documents, judgments: what it is computed from."""

    unit: str | None
    annotators: int
    documents: int
    judgments: int
    alpha_nominal: float | None
    alpha_ordinal: float | None
    alpha_interval: float | None


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """One row of the SQL function agreement: one comparison, or one of its topics or queries.

    :param unit: the topic or query; None over all. :param pairs: documents that both sides graded, per query.
    :param intervals: lower and upper bound by measure; (None, None) where there is none. :param note: why a value is missing.
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
        """The value of one of MEASURES."""
        value: float | None = getattr(self, measure)
        return value


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """Percentile intervals from resampled judgments (Efron & Tibshirani, 1993).

    :param of: what is drawn with replacement. The documents of a ``query`` depend on each other, and so do the queries of a
        ``topic``: drawing single ``pair`` s of judgments takes them for independent and gives intervals that are too narrow.
    :param seed: at least 0; the draws are the same on every machine, and for all comparisons of the same queries.
    :param level: of confidence, in (0, 1).
    """

    resamples: int = 1000
    seed: int = 1
    of: str = "query"
    level: float = 0.95

    def check(self, by: str) -> None:
        """Check the options of the bootstrap.

        :raises BadArgument: a value outside its range, or draws that are not within a unit.
        """
        if self.resamples < 1 or self.seed < 0 or not 0 < self.level < 1:
            raise BadArgument(
                f"{self.resamples} resamples, seed {self.seed}, level {self.level}",
                hint="Resamples are 1 or more, the seed 0 or more, the level between 0 and 1; 1000, 1 and 0.95 are usual.",
            )
        if self.of not in RESAMPLED:
            raise BadArgument(f"{self.of!r} cannot be resampled", hint=f"It is one of {', '.join(RESAMPLED)}.")
        if self.of == by or (self.of, by) == ("topic", "query"):
            raise BadArgument(f"an interval per {by} cannot come from resampling by {self.of}", hint="Resample by pair.")


@translate()
def side_name(conn: psycopg.Connection, edition: str, *, origin: str | None = None, annotator: str | None = None) -> str:
    """The name of a side, from its parts, whatever signs they hold; None is any."""
    row = conn.execute("SELECT stc.agreement_name(%s, %s, %s)", [edition, origin, annotator]).fetchone()
    return str(row[0]) if row else edition


@translate()
def agreement(
    conn: psycopg.Connection,
    reference: str,
    others: Sequence[str] = (),
    *,
    binary_from: int = 1,
    by: str = "all",
    every: bool = False,
    bootstrap: Bootstrap | None = None,
    measures: Sequence[str] = tuple(MEASURES),
) -> list[Agreement]:
    """Compare judgments with those of others.

    :param others: each against the reference; if none is named, the other annotators of the reference's edition: against the human
        ones where there are human and other ones, else each against each.
    :param binary_from: the lowest grade that counts as relevant. :param by: all, topic or query.
    :param every: all sides against each other.
    :param measures: of MEASURES, those that get intervals.
    :returns: in the order of the others, then by unit.
    :raises UnknownObject: an edition is not stored, or holds nothing by that origin or annotator.
    :raises BadArgument: no such unit or origin, a name of several meanings, a bootstrap that cannot be.
    :raises StateError: nothing to compare with.
    """
    if bootstrap is not None:
        bootstrap.check(by)
    with conn.cursor(row_factory=class_row(Agreement)) as cursor:
        found = cursor.execute(_AGREEMENT, [reference, list(others), binary_from, by, every]).fetchall()
    if bootstrap is None:
        return found
    rows = confusion(conn, reference, others, every=every)
    tables = {(t.reference, t.other, t.unit): t for t in _tables(rows, by=by, of=bootstrap.of)}
    return [
        _with_intervals(one, tables.get((one.reference, one.other, one.unit)), bootstrap, binary_from, measures) for one in found
    ]


@translate()
def confusion(conn: psycopg.Connection, reference: str, others: Sequence[str] = (), *, every: bool = False) -> list[Confusion]:
    """The confusion tables per query, by comparison, query and grades; sides and errors as for :func:`agreement`."""
    with conn.cursor(row_factory=class_row(Confusion)) as cursor:
        return cursor.execute(_CONFUSION, [reference, list(others), every]).fetchall()


@translate()
def grades(conn: psycopg.Connection, reference: str, others: Sequence[str] = (), *, every: bool = False) -> list[GradeAgreement]:
    """Precision and recall grade by grade; sides and errors as for :func:`agreement`."""
    with conn.cursor(row_factory=class_row(GradeAgreement)) as cursor:
        return cursor.execute("SELECT * FROM stc.agreement_grades(%s, %s::text[], %s)", [reference, list(others), every]).fetchall()


@translate()
def alpha(conn: psycopg.Connection, sides: Sequence[str], *, by: str = "all") -> list[Alpha]:
    """Krippendorff's alpha over several sides together, or over all annotators of one edition; errors as for :func:`agreement`."""
    with conn.cursor(row_factory=class_row(Alpha)) as cursor:
        return cursor.execute("SELECT * FROM agreement_alpha(%s::text[], %s)", [list(sides), by]).fetchall()


def ranked(rows: Iterable[Agreement], measure: str) -> list[Agreement]:
    """By unit, and then the best agreement by a measure first (the least error or bias); undefined last, equal ones by name."""

    def key(one: Agreement) -> tuple[str, bool, float, str, str]:
        value = one.value(measure)
        worse = 0.0 if value is None else abs(value) if measure in ("mae", "bias") else -value
        return one.unit or "", value is None, worse, one.other, one.reference

    return sorted(rows, key=key)


@dataclass(frozen=True)
class _Table:
    """The confusion table of one comparison and unit: counts float64[clusters, cells], x and y int64[cells]: its grades."""

    reference: str
    other: str
    unit: str | None
    counts: Floats
    x: Ints
    y: Ints


def _tables(rows: Iterable[Confusion], *, by: str, of: str) -> Iterable[_Table]:
    def unit(one: Confusion) -> str | None:
        return one.topic if by == "topic" else one.query if by == "query" else None

    def key(one: Confusion) -> tuple[int, str]:
        return one.place, unit(one) or ""

    for _, group in groupby(sorted(rows, key=key), key=key):
        part = list(group)
        clusters = {name: at for at, name in enumerate(sorted({one.topic if of == "topic" else one.query for one in part}))}
        cells = {cell: at for at, cell in enumerate(sorted({(one.reference_rel, one.other_rel) for one in part}))}
        counts = np.zeros((len(clusters), len(cells)))
        for one in part:
            cluster = clusters[one.topic if of == "topic" else one.query]
            counts[cluster, cells[one.reference_rel, one.other_rel]] += one.pairs
        x, y = np.array(list(cells), dtype=np.int64).T
        yield _Table(part[0].reference, part[0].other, unit(part[0]), counts, x, y)


def _with_intervals(
    one: Agreement, table: _Table | None, bootstrap: Bootstrap, binary_from: int, measures: Sequence[str]
) -> Agreement:
    """The row with its intervals; none where there is a single cluster, or a value is defined in no resample."""
    intervals: dict[str, tuple[float | None, float | None]] = dict.fromkeys(measures, (None, None))
    drawn = 0 if table is None else int(table.counts.sum()) if bootstrap.of == "pair" else len(table.counts)
    if table is None or drawn < 2:
        lone = None if table is None else f"no interval: one {bootstrap.of}"
        return replace(one, intervals=intervals, note="; ".join(filter(None, [one.note, lone])) or None)
    resample = resample_pairs if bootstrap.of == "pair" else resample_clusters
    counts = resample(table.counts, resamples=bootstrap.resamples, seed=bootstrap.seed)
    tails = [50 * (1 - bootstrap.level), 50 * (1 + bootstrap.level)]
    missing: dict[int, list[str]] = {}
    found = estimates(counts, table.x, table.y, binary_from=binary_from)
    for measure in measures:
        values = found[measure]
        defined = values[np.isfinite(values)]
        if defined.size and one.value(measure) is not None:
            low, high = np.percentile(defined, tails)
            intervals[measure] = float(low), float(high)
            if defined.size < values.size:
                missing.setdefault(values.size - defined.size, []).append(measure)
    notes = [f"undefined in {count:,} of {bootstrap.resamples:,} resamples: {', '.join(names)}" for count, names in missing.items()]
    return replace(one, intervals=intervals, note="; ".join(filter(None, [one.note, *notes])) or None)
