"""Variation of scores over the formulations of a topic: robust runs, and what the variance is due to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
import psycopg
from scipy import stats

from stcollection.analysis.intervals import STUDENT
from stcollection.analysis.records import SystemMeans, SystemScore
from stcollection.counts import counted
from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, RecordTable, columns_of, declare
from stcollection.errors import translate
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.parameters import MeasureName, NamedEdition, QuerySet, Runs, only_measure, runs_of, set_of
from stcollection.topics.sets import ALL, titled


class RunVariation(NamedTuple):
    """How robust a run is to the formulation of a topic (sql/analysis/run_variation.sql).

    :param mean, best, worst: means over topics of the mean, the best and the worst query of each.
    :param deviation: standard deviation within topics. :param share: of the run's variance that lies within topics.
    :param rank, worst_rank: by ``mean`` and by ``worst``.
    :param robustness: share of queries that are better than the baseline's, minus that of worse ones; None without a baseline.
    """

    run: str
    topics: int
    queries: int
    mean: float
    best: float
    worst: float
    deviation: float
    share: float | None
    rank: int
    worst_rank: int
    robustness: float | None


class TopicVariation(NamedTuple):
    """The scores of a run on the queries of a topic (sql/analysis/topic_variation.sql)."""

    run: str
    topic: str
    queries: int
    mean: float
    variance: float
    best: float
    best_query: str
    worst: float
    worst_query: str


class VarianceSource(NamedTuple):
    """A source of the variance of scores (sql/analysis/variance_sources.sql).

    :param share: of the sum of squares. :param f, p: F statistic against the residual, ``system x formulation``, and its p.
    :param omega: partial omega squared.
    """

    source: str
    df: int
    squares: float
    share: float | None
    f: float | None
    p: float | None
    omega: float | None


@declare
@note_simulated("edition")
@translate()
def run_variation(
    conn: psycopg.Connection,
    edition: NamedEdition,
    *,
    measure: MeasureName = "nDCG@10",
    runs: Runs = (),
    baseline: Annotated[str | None, Option("--baseline", metavar="RUN", listed="show runs")] = None,
    queries: QuerySet = ALL,
) -> RecordTable[RunVariation]:
    """Report how robust runs are to the formulation of a topic, on the topics with several judged queries.

    :param baseline: Run to count wins and losses against.
    :returns: the highest mean of the worst scores first.
    :raises UnknownObject: a run, the edition, the measure or the set does not exist.
    :raises StateError: no topic has two judged queries.
    """
    values = [runs_of(runs), edition, str(only_measure(measure)), baseline, set_of(queries)]
    rows = records(conn, RunVariation, "SELECT * FROM stc.run_variation(%s::text[], %s, %s, %s, %s)", values)
    return RecordTable(rows, columns=columns_of(RunVariation), editions=[edition])


def variation_means(conn: psycopg.Connection, *, edition: str, measure: Measure, runs: Sequence[str], queries: str) -> SystemMeans:
    """Return :func:`run_variation` as a record to draw: the mean of each run, from its worst to its best queries."""
    rows = run_variation(conn, edition, measure=measure, runs=runs, queries=queries)
    scores = [SystemScore(row.run, np.array([row.mean]), row.mean, row.worst, row.best) for row in rows]
    spread = f"mean, worst and best query of each of {counted(rows[0].topics, 'topic')}" if rows else None
    return SystemMeans(
        edition=titled(edition, queries),
        measure=str(measure),
        interval=STUDENT,
        scores=scores,
        simulated=rows.simulated,
        spread=spread,
    )


@declare
@note_simulated("edition")
@translate()
def topic_variation(
    conn: psycopg.Connection, edition: NamedEdition, *, measure: MeasureName = "nDCG@10", runs: Runs = (), queries: QuerySet = ALL
) -> RecordTable[TopicVariation]:
    """Report the mean, variance, best and worst score of each run on the queries of each topic.

    :returns: by run and topic.
    :raises UnknownObject: a run, the edition, the measure or the set does not exist.
    :raises StateError: no topic has two judged queries.
    """
    values = [runs_of(runs), edition, str(only_measure(measure)), set_of(queries)]
    rows = records(conn, TopicVariation, "SELECT * FROM stc.topic_variation(%s::text[], %s, %s, %s)", values)
    return RecordTable(rows, columns=columns_of(TopicVariation), editions=[edition])


@declare
@note_simulated("edition")
@translate()
def variance_sources(
    conn: psycopg.Connection, edition: NamedEdition, *, measure: MeasureName = "nDCG@10", runs: Runs = (), queries: QuerySet = ALL
) -> RecordTable[VarianceSource]:
    """Analyse the variance of scores: by topic, formulation, system and their interactions.

    :returns: one row per source.
    :raises UnknownObject: a run, the edition, the measure or the set does not exist.
    :raises StateError: no topic has two judged queries.
    """
    values = [runs_of(runs), edition, str(only_measure(measure)), set_of(queries)]
    parts = conn.execute(
        "SELECT source, df, squares, share, f, omega FROM stc.variance_sources(%s::text[], %s, %s, %s)", values
    ).fetchall()
    residual = parts[-1][1]
    rows = [
        VarianceSource(source, df, squares, share, f, None if f is None else float(stats.f.sf(f, df, residual)), omega)
        for source, df, squares, share, f, omega in parts
    ]
    return RecordTable(rows, columns=columns_of(VarianceSource), editions=[edition])
