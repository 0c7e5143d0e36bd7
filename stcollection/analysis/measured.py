"""How the measures of documents are distributed, how they go together, and what they say of runs and of people's grades.

What is counted is counted in the database: nothing here grows with the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import psycopg

from stcollection.analysis import paired
from stcollection.analysis.annotations import Mean, means
from stcollection.analysis.figures import system_scores
from stcollection.analysis.paired import Floats
from stcollection.analysis.query_sets import ALL, WITHIN, within
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.measures import Measure, nDCG

GROUPINGS = ("year", "venue", "doc_type", "field")
ASPECTS = ("complexity", "credibility")
READABILITY = (
    "nltk_sent", "nltk_tok", "cmu_tok", "cmu_syl", "cmu_wrd_per_sent", "cmu_syl_per_wrd", "cmu_fkgl", "read_sent", "read_tok",
    "read_syl", "read_char", "read_wordtypes", "read_long_words", "read_complex_words", "read_char_per_wrd", "read_wrd_per_sent",
    "read_syl_per_wrd", "read_type_token_ratio", "textstat_fkgl", "textstat_fre",
)  # fmt: skip
SHARES = ("long_word_share", "complex_word_share")
CREDIBILITY = ("citations", "references", "citations_per_year", "citation_percentile", "age")
MEASURES = (*READABILITY, *SHARES, *CREDIBILITY)
COUNTED = ("citations", "references")  # over several powers of ten: on a logarithmic axis
WHOLE = (
    *COUNTED, "nltk_sent", "nltk_tok", "cmu_tok", "cmu_syl", "read_sent", "read_tok", "read_syl", "read_char", "read_wordtypes",
    "read_long_words", "read_complex_words",
)  # fmt: skip
SAMPLE = 200_000  # documents that correlations are computed over at most
_FIRST = (
    "SELECT run, value FROM document_means(%s::text[], %s, ARRAY[%s], %s)"  # noqa: S608
    f' WHERE {WITHIN} ORDER BY run, query COLLATE "C"'
)
_SPREAD = [0.05, 0.25, 0.5, 0.75, 0.95]
_LOWER_IS_EASIER = {
    "cmu_fkgl", "textstat_fkgl", "cmu_wrd_per_sent", "read_wrd_per_sent", "cmu_syl_per_wrd", "read_syl_per_wrd",
    "read_char_per_wrd", "read_long_words", "read_complex_words", *SHARES,
}  # fmt: skip


class Spread(NamedTuple):
    """A group's distribution. :param documents: how many. The rest: quantiles at .05, .25, .5, .75 and .95."""

    name: str
    documents: int
    low: float
    lower: float
    median: float
    upper: float
    high: float


class Spreads(NamedTuple):
    """The distributions of groups. :param groups, grouped: groups there are, and documents in them, with those left out."""

    rows: list[Spread]
    groups: int
    grouped: int


class Bins(NamedTuple):
    """A histogram of two measures.

    :param counts: int[x bins, y bins]. :param x_edges, y_edges: float, one more than there are bins.
    :param outside: documents beyond the edges. :param rho: Spearman's, None where a measure has one value only.
    :param sampled: documents that rho is over. :param documents: those that have both measures.
    """

    counts: Floats
    x_edges: Floats
    y_edges: Floats
    documents: int
    outside: int
    rho: float | None
    sampled: int


class Correlations(NamedTuple):
    """Spearman's rho. :param rho: float[measures, measures], NaN where one has one value only.

    :param documents: those it is over. :param complete: those that have all measures.
    """

    measures: list[str]
    rho: Floats
    documents: int
    complete: int


class ReadRun(NamedTuple):
    """A run by relevance and by a measure of its first documents: means over queries, with intervals; NaN for none.

    :param queries: those that the mean of the measure is over.
    """

    run: str
    relevance: float
    relevance_low: float
    relevance_high: float
    value: float
    value_low: float
    value_high: float
    queries: int


@translate()
def spreads(conn: psycopg.Connection, measure: str, *, by: str = "year", smallest: int = 1, most: int | None = None) -> Spreads:
    """A measure's quantiles in each year (in their order), venue, doc_type or field (by median, lowest first).

    :param by: one of GROUPINGS. :param smallest: groups of fewer documents are left out. :param most: keep that many, the largest.
    :raises UnknownObject: no such measure. :raises BadArgument: an argument outside its range.
    :raises StateError: no document has the measure, or no group is large enough.
    """
    rows = conn.execute(
        "SELECT name, documents, quantiles, groups, grouped FROM measure_quantiles(%s, %s, %s, %s, %s)",
        [measure, by, _SPREAD, smallest, most],
    ).fetchall()
    if not rows:
        raise _no_group(conn, measure, by, smallest)
    found = [Spread(row[0], row[1], *row[2]) for row in rows]
    found.sort(key=lambda one: int(one.name) if by == "year" else (one.median, one.upper, one.name.encode()))
    return Spreads(found, rows[0][3], rows[0][4])


@translate()
def bins(
    conn: psycopg.Connection, x: str, y: str, *, size: int | None = None, beyond: float = 0.005, most: int = SAMPLE, seed: int = 0
) -> Bins:
    """A histogram of two measures between their outer quantiles, and Spearman's rho over all documents that have both, or a sample.

    Edges of whole numbers lie between them; those of COUNTED are apart by factors, of the count + 1.

    :param size: bins a side, about; None: 2 ∛documents (Rice's rule), at most 40.
    :param beyond: the share of the documents that may lie beyond either end of an axis.
    :raises UnknownObject: no such measure. :raises BadArgument: a measure against itself, an argument outside its range.
    :raises StateError: no document has both.
    """
    if x == y:
        raise BadArgument(f"{x} against itself", hint="Name two measures.", sqlstate="IR202")
    if size is not None and size < 1:
        raise BadArgument(f"{size} bins", hint="One or more.", sqlstate="IR202")
    row = conn.execute("SELECT * FROM measure_span(%s, %s, %s)", [x, y, beyond]).fetchone()
    if row is None or not row[0]:
        raise StateError(f"no document has both {x} and {y}", hint=_advice(x, y), sqlstate="IR405")
    documents, *ends = row
    size = size or min(40, math.ceil(2 * documents ** (1 / 3)))
    x_edges, y_edges = edges(x, ends[0], ends[1], size), edges(y, ends[2], ends[3], size)
    counts, inside = np.zeros((len(x_edges) - 1, len(y_edges) - 1)), 0
    cells = conn.execute("SELECT * FROM measure_bins(%s, %s, %s, %s)", [x, y, x_edges.tolist(), y_edges.tolist()])
    for x_bin, y_bin, count in cells:
        if 0 < x_bin < len(x_edges) and 0 < y_bin < len(y_edges):
            counts[x_bin - 1, y_bin - 1] = count
            inside += count
    if documents < 2:
        return Bins(counts, x_edges, y_edges, documents, documents - inside, None, documents)
    done = correlations(conn, [x, y], most=most, seed=seed)
    rho = None if math.isnan(done.rho[0, 1]) else float(done.rho[0, 1])
    return Bins(counts, x_edges, y_edges, documents, documents - inside, rho, done.documents)


def edges(measure: str, low: float, high: float, size: int) -> Floats:
    """Edges of about so many bins from the one end to the other.

    Bins of whole numbers hold as many of them each; those of COUNTED ever more, by a factor of the count + 1.
    """
    if measure in COUNTED:
        factor = ((high + 2) / (low + 1)) ** (1 / size) - 1
        found, step = [low + 1], 1
        while found[-1] < high + 2:
            step = max(step, round(found[-1] * factor))
            found.append(found[-1] + step)
        return np.array(found) - 1.5
    if measure in WHOLE:
        step = math.ceil((high - low + 1) / size)
        return low - 0.5 + step * np.arange(math.ceil((high - low + 1) / step) + 1, dtype=np.float64)
    if high <= low:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, size + 1)


@translate()
def correlations(
    conn: psycopg.Connection, measures: Sequence[str] = READABILITY, *, most: int = SAMPLE, seed: int = 0
) -> Correlations:
    """Spearman's rho between measures, over the documents that have all of them, or a sample of ``most``, by a seed.

    :raises UnknownObject: no such measure. :raises BadArgument: fewer than two, one twice, an argument outside its range.
    :raises StateError: fewer than two documents have all of them.
    """
    rows = conn.execute(
        "SELECT a, b, rho, documents, complete FROM rank_correlations(%s, %s, %s)", [list(measures), most, seed]
    ).fetchall()
    if rows[0][3] < 2:
        told = " and ".join(measures) if len(measures) < 4 else f"all of {len(measures)} measures"
        raise StateError(f"{rows[0][3]} documents have {told}: a correlation takes 2", hint=_advice(*measures), sqlstate="IR405")
    rho = np.full((len(measures), len(measures)), np.nan)
    np.fill_diagonal(rho, 1.0)
    for a, b, value, _, _ in rows:
        i, j = measures.index(a), measures.index(b)
        rho[i, j] = rho[j, i] = math.nan if value is None else value
    return Correlations(list(measures), rho, rows[0][3], rows[0][4])


@translate()
def read_runs(
    conn: psycopg.Connection, *, edition: str, measure: Measure = nDCG @ 10, readability: str = "textstat_fkgl", k: int = 10,
    runs: Sequence[str] = (), interval: str = "t", alpha: float = 0.05, missing: str = "zero", resamples: int = 100_000,
    seed: int = 0, queries: str = ALL,
) -> list[ReadRun]:  # fmt: skip
    """Runs by relevance, best first, and by the mean of a measure over their first k documents, query by query.

    A query without a document that has the measure is not in its mean. For the rest see
    :func:`~stcollection.analysis.figures.system_scores`.

    :raises UnknownObject: a run, the edition, or a measure is not there. :raises BadArgument: an argument outside its range.
    :raises StateError: there is no run, no judged query, or no document of a run has the measure.
    """
    values: dict[str, list[float]] = {}
    for run, value in conn.execute(_FIRST.encode(), [list(runs), edition, readability, k, *within(edition, queries)]):
        values.setdefault(run, []).append(value)
    found = system_scores(
        conn, edition=edition, measure=measure, runs=runs, interval=interval, alpha=alpha, missing=missing, resamples=resamples,
        seed=seed, queries=queries,
    )  # fmt: skip
    if not values:
        told = f"none of the first {k} documents of the runs has {readability}"
        raise StateError(told, hint=_advice(readability), sqlstate="IR405")
    read: list[ReadRun] = []
    for one in found:
        column = np.array(values.get(one.run, [math.nan]))[:, None]
        ends = (
            paired.t_interval(column, alpha=alpha)
            if interval == "t"
            else paired.bootstrap(column, resamples=resamples, seed=seed, alpha=alpha)[1:]
        )
        mean = float(paired.summarise(column).mean[0])
        low, high = (float(end[0]) for end in ends)
        read.append(ReadRun(one.run, one.mean, one.low, one.high, mean, low, high, int(np.sum(~np.isnan(column)))))
    return read


def pareto(runs: Sequence[ReadRun], *, lower: bool) -> list[ReadRun]:
    """The runs that none is better than by relevance and measure both, and better by one; most relevant first.

    :param lower: low values of the measure are the better ones. Runs without a value are none of them.
    """
    sign = -1 if lower else 1
    there = [one for one in runs if not math.isnan(one.relevance) and not math.isnan(one.value)]
    there.sort(key=lambda one: (-one.relevance, -sign * one.value, one.run.encode()))
    best: list[ReadRun] = []
    for one in there:
        if (
            not best
            or sign * one.value > sign * best[-1].value
            or (one.relevance, one.value) == (best[-1].relevance, best[-1].value)
        ):
            best.append(one)
    return best


def better(measure: str) -> str | None:
    """Which values of a measure are the better ones for a reader who is no expert, ``low`` or ``high``; None: neither is."""
    if measure in _LOWER_IS_EASIER:
        return "low"
    return "high" if measure == "textstat_fre" or measure in CREDIBILITY[:-1] else None


@translate()
def grade_means(
    conn: psycopg.Connection, *, measure: str = "textstat_fkgl", aspect: str = "complexity", everyone: bool = False
) -> list[Mean]:
    """A measure by the grades that people gave, a row a group of annotators and grade, in their order.

    :param everyone: all annotators as one group. Errors are those of :func:`stcollection.analysis.annotations.means`.
    :raises StateError: also where none of the documents graded has the measure.
    """
    found = [one for one in means(conn, aspect=aspect, measures=[measure]) if (one.group is None) == everyone]
    if not found:
        raise StateError(f"no document graded by {aspect} has {measure}", hint=_advice(measure), sqlstate="IR405")
    return found


def _no_group(conn: psycopg.Connection, measure: str, by: str, smallest: int) -> StateError:
    """Why there is no group, for a measure and a grouping that there are."""
    row = conn.execute("SELECT documents FROM measure_quantiles(%s)", [measure]).fetchone()
    if row is None:
        return StateError(f"no document has {measure}", hint=_advice(measure), sqlstate="IR405")
    row = conn.execute("SELECT documents FROM measure_quantiles(%s, %s, most => 1)", [measure, by]).fetchone()
    if row is None:
        return StateError(
            f"no document that has {measure} says its {by}",
            hint="Group by another: year, venue, doc_type, field.",
            sqlstate="IR405",
        )
    return StateError(
        f"no {by} has {smallest:,} documents with {measure}",
        hint=f"The largest has {row[0]:,}: --smallest {row[0]}.",
        sqlstate="IR405",
    )


def _advice(*measures: str) -> str:
    """What computes the measures."""
    ways = []
    if any(measure in READABILITY for measure in measures):
        ways.append("'stc complexity compute' computes readability, of abstracts.")
    if "citation_percentile" in measures:
        ways.append("'stc complexity credibility' ranks documents by their citations.")
    if any(measure in COUNTED for measure in measures):
        ways.append("Citations and references are counted in the documents as they came.")
    return " ".join(ways)
