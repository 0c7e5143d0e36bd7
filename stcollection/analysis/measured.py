"""Distributions and correlations of document measures, and their relation to runs and to people's grades.

Counting happens in the database, so memory use here does not grow with the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import psycopg

from stcollection.analysis import paired
from stcollection.analysis.annotations import means
from stcollection.analysis.document_measures import ASPECTS as ASPECTS
from stcollection.analysis.document_measures import COUNTED as COUNTED
from stcollection.analysis.document_measures import GROUPINGS as GROUPINGS
from stcollection.analysis.document_measures import MEASURES as MEASURES
from stcollection.analysis.document_measures import READABILITY as READABILITY
from stcollection.analysis.document_measures import WHOLE as WHOLE
from stcollection.analysis.document_measures import Aspect, several_measures
from stcollection.analysis.document_measures import better as better
from stcollection.analysis.intervals import STUDENT, Interval
from stcollection.analysis.paired import Floats
from stcollection.analysis.records import Bins, Correlations, GradeMeans, ReadableRuns, ReadRun, Spread, Spreads
from stcollection.analysis.systems import system_scores
from stcollection.counts import counted
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.topics.sets import ALL, titled

SAMPLE = 200_000  # maximum number of documents that correlations are computed over
_FIRST = 'SELECT run, value FROM document_means(%s::text[], %s, ARRAY[%s], %s, %s) ORDER BY run, query COLLATE "C"'
_SPREAD = [0.05, 0.25, 0.5, 0.75, 0.95]


@translate()
def spreads(conn: psycopg.Connection, measure: str, *, by: str = "year", smallest: int = 1, most: int | None = None) -> Spreads:
    """Return a measure's quantiles per year (in order), or per venue, doc_type or field (lowest median first).

    :param by: one of GROUPINGS.
    :param smallest: omit groups with fewer documents.
    :param most: keep only this number of groups, the largest ones.
    :raises UnknownObject: the measure does not exist.
    :raises BadArgument: an argument is outside its range.
    :raises StateError: no document has the measure, or no group is large enough.
    """
    rows = conn.execute(
        "SELECT name, documents, quantiles, groups, grouped FROM measure_quantiles(%s, %s, %s, %s, %s)",
        [measure, by, _SPREAD, smallest, most],
    ).fetchall()
    if not rows:
        raise _no_group(conn, measure, by, smallest)
    groups = [Spread(row[0], row[1], *row[2]) for row in rows]
    groups.sort(key=lambda group: int(group.name) if by == "year" else (group.median, group.upper, group.name.encode()))
    return Spreads(groups, rows[0][3], rows[0][4], measure, by, smallest)


@translate()
def bins(
    conn: psycopg.Connection, x: str, y: str, *, size: int | None = None, beyond: float = 0.005, most: int = SAMPLE, seed: int = 0
) -> Bins:
    """Return a histogram of two measures between their outer quantiles, with Spearman's rho.

    Rho is computed over all documents that have both measures, or over a sample of SAMPLE documents. Bin edges of integer
    measures lie between integers. Edges of the COUNTED measures grow by a constant factor of (count + 1).

    :param size: approximate number of bins per side; None: 2 ∛documents (Rice's rule), at most 40.
    :param beyond: the share of documents allowed beyond either end of an axis.
    :raises UnknownObject: a measure does not exist.
    :raises BadArgument: both measures are the same, or an argument is outside its range.
    :raises StateError: no document has both measures.
    """
    if x == y:
        raise BadArgument(f"both measures are {x}", hint="Name two different measures.")
    if size is not None and size < 1:
        raise BadArgument(f"size is {counted(size, 'bin')}", hint="Use 1 or more.")
    row = conn.execute("SELECT * FROM stc.measure_span(%s, %s, %s)", [x, y, beyond]).fetchone()
    if row is None or not row[0]:
        raise StateError(f"no document has both {x} and {y}", hint=_advice(x, y), sqlstate="IR405")
    documents, *ends = row
    size = size or min(40, math.ceil(2 * documents ** (1 / 3)))
    x_edges, y_edges = edges(x, ends[0], ends[1], size), edges(y, ends[2], ends[3], size)
    counts, inside = np.zeros((len(x_edges) - 1, len(y_edges) - 1)), 0
    cells = conn.execute("SELECT * FROM stc.measure_bins(%s, %s, %s, %s)", [x, y, x_edges.tolist(), y_edges.tolist()])
    for x_bin, y_bin, count in cells:
        if 0 < x_bin < len(x_edges) and 0 < y_bin < len(y_edges):
            counts[x_bin - 1, y_bin - 1] = count
            inside += count
    if documents < 2:
        return Bins(counts, x_edges, y_edges, documents, documents - inside, None, documents, x, y)
    table = correlations(conn, [x, y], most=most, seed=seed)
    rho = None if math.isnan(table.rho[0, 1]) else float(table.rho[0, 1])
    return Bins(counts, x_edges, y_edges, documents, documents - inside, rho, table.documents, x, y)


def edges(measure: str, low: float, high: float, size: int) -> Floats:
    """Return edges of about ``size`` bins from low to high.

    Bins of integer measures have equal numbers of integers. Bins of COUNTED measures widen by a constant factor of (count + 1).
    """
    if measure in COUNTED:
        factor = ((high + 2) / (low + 1)) ** (1 / size) - 1
        ends, step = [low + 1], 1
        while ends[-1] < high + 2:
            step = max(step, round(ends[-1] * factor))
            ends.append(ends[-1] + step)
        return np.array(ends) - 1.5
    if measure in WHOLE:
        step = math.ceil((high - low + 1) / size)
        return low - 0.5 + step * np.arange(math.ceil((high - low + 1) / step) + 1, dtype=np.float64)
    if high <= low:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, size + 1)


Sample = Annotated[
    int,
    AllowedRange(ge=2),
    Option(each="sample", help="Largest number of documents to correlate over; if there are more, a random sample."),
]
SampleSeed = Annotated[int, AllowedRange(ge=0, le=2**63 - 1), Option(help="Seed of the sample.")]
MeasureNames = Annotated[Sequence[str], Option("[MEASURE]...")]


@declare
@translate()
def correlations(
    conn: psycopg.Connection, names: MeasureNames = READABILITY, *, most: Sample = SAMPLE, seed: SampleSeed = 0
) -> Correlations:
    """Compute Spearman's rho between measures, over the documents that have all of them or a random sample of ``most``.

    :param names: Measures; ``all`` means every measure.
    :raises UnknownObject: a measure does not exist.
    :raises BadArgument: fewer than two measures, a repeated measure, or an argument outside its range.
    :raises StateError: fewer than two documents have all measures.
    """
    measures = several_measures(names)
    rows = conn.execute(
        "SELECT a, b, rho, documents, complete FROM rank_correlations(%s, %s, %s)", [list(measures), most, seed]
    ).fetchall()
    if rows[0][3] < 2:
        lack = " and ".join(measures) if len(measures) < 4 else f"all of {counted(len(measures), 'measure')}"
        raise StateError(
            f"{counted(rows[0][3], 'document has', 'documents have')} {lack}; a correlation needs at least 2",
            hint=_advice(*measures),
            sqlstate="IR405",
        )
    rho = np.full((len(measures), len(measures)), np.nan)
    np.fill_diagonal(rho, 1.0)
    for a, b, value, _, _ in rows:
        i, j = measures.index(a), measures.index(b)
        rho[i, j] = rho[j, i] = math.nan if value is None else value
    return Correlations(list(measures), rho, rows[0][3], rows[0][4])


@dataclass(frozen=True)
class Reading:
    """How to measure the readability of retrieved documents.

    :param readability: One of the 20 measures of readability, citations, references, or citation_percentile.
    :param k: Number of documents at the top of each ranking to read.
    :param prefer: Whether low or high values of the measure are better.
    :raises BadArgument: a value is outside its range.
    """

    readability: Annotated[str, Option(metavar="MEASURE")] = "textstat_fkgl"
    k: Annotated[int, AllowedRange(ge=1, le=2**31 - 1), Option(each="cutoff")] = 10
    prefer: Annotated[Literal["low", "high"] | None, Option(default="as defined by the measure")] = None

    def __post_init__(self) -> None:
        check_fields(self)


GRADE_LEVEL = Reading()


@translate()
def read_runs(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    reading: Reading = GRADE_LEVEL,
    runs: Sequence[str] = (),
    interval: Interval = STUDENT,
    missing: str = "zero",
    queries: str = ALL,
) -> list[ReadRun]:
    """Return runs by relevance, best first, with the mean of a measure over their first k documents, averaged over queries.

    A query is excluded from the mean of the measure if none of its documents has it. For the other parameters see
    :func:`~stcollection.analysis.systems.system_scores`.

    :raises UnknownObject: a run, the edition, or a measure does not exist.
    :raises BadArgument: an argument is outside its range.
    :raises StateError: no run is stored, no query is judged, or no retrieved document has the measure.
    """
    values: dict[str, list[float]] = {}
    arguments = [list(runs), edition, reading.readability, reading.k, queries]
    for run, value in conn.execute(_FIRST, arguments):
        values.setdefault(run, []).append(value)
    scores = system_scores(conn, edition=edition, measure=measure, runs=runs, interval=interval, missing=missing, queries=queries)
    if not values:
        lack = f"none of the first {counted(reading.k, 'document')} of the runs has {reading.readability}"
        raise StateError(lack, hint=_advice(reading.readability), sqlstate="IR405")
    read: list[ReadRun] = []
    for score in scores:
        column = np.array(values.get(score.run, [math.nan]))[:, None]
        low, high = (float(end[0]) for end in interval.of(column))
        mean = float(paired.summarise(column).mean[0])
        read.append(ReadRun(score.run, score.mean, score.low, score.high, mean, low, high, int(np.sum(~np.isnan(column)))))
    return read


@note_simulated("edition")
def readable_runs(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    reading: Reading = GRADE_LEVEL,
    runs: Sequence[str] = (),
    interval: Interval = STUDENT,
    missing: str = "zero",
    queries: str = ALL,
) -> ReadableRuns:
    """Return :func:`read_runs`, with the runs that no other run beats, as a record to draw.

    :raises StateError: also if no run has both values.
    """
    every = read_runs(
        conn, edition=edition, measure=measure, reading=reading, runs=runs, interval=interval, missing=missing, queries=queries
    )
    placed = [run for run in every if not math.isnan(run.relevance) and not math.isnan(run.value)]
    if not placed:
        lack = f"no run has a value by both {measure} and {reading.readability}"
        raise StateError(lack, hint="'stc show runs' shows the runs.", sqlstate="IR405")
    side = reading.prefer or better(reading.readability)
    return ReadableRuns(
        edition=titled(edition, queries),
        measure=str(measure),
        readability=reading.readability,
        k=reading.k,
        interval=interval,
        runs=placed,
        without=len(every) - len(placed),
        better=side,
        best=pareto(placed, lower=side == "low") if side else [],
    )


def pareto(runs: Sequence[ReadRun], *, lower: bool) -> list[ReadRun]:
    """Return the Pareto-optimal runs by relevance and measure, most relevant first.

    A run is dropped if another is at least as good by both and better by one. Runs without a value are dropped too.

    :param lower: low values of the measure are better.
    """
    sign = -1 if lower else 1
    placed = [point for point in runs if not math.isnan(point.relevance) and not math.isnan(point.value)]
    placed.sort(key=lambda point: (-point.relevance, -sign * point.value, point.run.encode()))
    best: list[ReadRun] = []
    for run in placed:
        if (
            not best
            or sign * run.value > sign * best[-1].value
            or (run.relevance, run.value) == (best[-1].relevance, best[-1].value)
        ):
            best.append(run)
    return best


@note_simulated(annotations=True)
@translate()
def grades_given(
    conn: psycopg.Connection, *, measure: str = "textstat_fkgl", aspect: Aspect = "complexity", everyone: bool = False
) -> GradeMeans:
    """Return the mean of a measure at each grade people gave, one row per group of annotators and grade, in order.

    :param everyone: treat all annotators as one group.
    :raises StateError: no graded document has the measure. Other errors are those of
        :func:`stcollection.analysis.annotations.means`.
    """
    rows = [row for row in means(conn, aspect=aspect, measures=[measure]) if (row.group is None) == everyone]
    if not rows:
        raise StateError(f"no document graded for {aspect} has {measure}", hint=_advice(measure), sqlstate="IR405")
    return GradeMeans(measure=measure, aspect=aspect, rows=rows)


def _no_group(conn: psycopg.Connection, measure: str, by: str, smallest: int) -> StateError:
    """Return the error that explains why there is no group, for an existing measure and grouping."""
    row = conn.execute("SELECT documents FROM measure_quantiles(%s)", [measure]).fetchone()
    if row is None:
        return StateError(f"no document has {measure}", hint=_advice(measure), sqlstate="IR405")
    row = conn.execute("SELECT documents FROM measure_quantiles(%s, %s, most => 1)", [measure, by]).fetchone()
    if row is None:
        return StateError(
            f"no document with {measure} has a {by}",
            hint="Group by something else: year, venue, doc_type, field.",
            sqlstate="IR405",
        )
    return StateError(
        f"no {by} has {smallest:,} or more documents with {measure}",
        hint=f"The largest has {row[0]:,}; use --min-documents {row[0]}.",
        sqlstate="IR405",
    )


def _advice(*measures: str) -> str:
    """Return a hint on how to compute the measures."""
    ways = []
    if any(measure in READABILITY for measure in measures):
        ways.append("'stc complexity compute' computes the readability of abstracts.")
    if "citation_percentile" in measures:
        ways.append("'stc complexity credibility' ranks documents by their citations.")
    if any(measure in COUNTED for measure in measures):
        ways.append("Citations and references come with the imported documents.")
    return " ".join(ways)
