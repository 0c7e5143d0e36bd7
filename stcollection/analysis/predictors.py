"""Predictors of query performance: how well does a run answer a query, judged by the texts and the scores alone."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, columns_of, declare
from stcollection.errors import translate
from stcollection.evaluation.parameters import Edition, MeasureName, QuerySet, edition_of, only_measure, set_of
from stcollection.topics.sets import ALL

Depth = Annotated[int, AllowedRange(ge=1), Option(help="Number of documents of the ranking to read.")]
PredictedRun = Annotated[str, Option("RUN", listed="show runs")]


class QueryPrediction(NamedTuple):
    """Predictors of a query's performance, higher is better (sql/analysis/query_predictors.sql has the formulas).

    :param words: number of words of the query that documents contain.
    """

    query: str
    words: int
    avg_idf: float | None
    max_idf: float | None
    avg_scq: float | None
    max_scq: float | None
    scs: float | None
    nqc: float | None
    wig: float | None
    clarity: float | None


class PredictorQuality(NamedTuple):
    """How well a predictor predicts a measure (sql/analysis/predictor_quality.sql).

    :param queries: number of judged queries with a prediction. :param pearson, spearman, kendall: correlations with the measure.
    :param picked: mean, over topics with several of these queries, of the query with the highest prediction.
    :param mean, best: means over the same topics of all their queries, and of the best one.
    """

    predictor: str
    queries: int
    pearson: float | None
    spearman: float | None
    kendall: float | None
    picked: float | None
    mean: float | None
    best: float | None


@declare
@translate()
def query_predictors(
    conn: psycopg.Connection, run: PredictedRun, *, depth: Depth = 100, queries: QuerySet = ALL
) -> RecordTable[QueryPrediction]:
    """Predict the performance of a run on each query, without judgments.

    :param run: The run.
    :returns: by query.
    :raises UnknownObject: the run or the set does not exist.
    :raises StateError: the text index does not exist.
    """
    rows = records(conn, QueryPrediction, "SELECT * FROM stc.query_predictors(%s, %s, %s)", [run, set_of(queries), depth])
    return RecordTable(rows, columns=columns_of(QueryPrediction))


@declare
@note_simulated()
@translate()
def predictor_quality(
    conn: psycopg.Connection,
    run: PredictedRun,
    *,
    edition: Edition = None,
    measure: MeasureName = "nDCG@10",
    depth: Depth = 100,
    queries: QuerySet = ALL,
) -> RecordTable[PredictorQuality]:
    """Correlate predictors of query performance with the measured performance of a run.

    :param run: The run.
    :returns: the highest tau first.
    :raises UnknownObject: the run, the edition, the measure or the set does not exist.
    :raises StateError: the text index does not exist.
    """
    edition = edition_of(conn, edition)
    values = [run, edition, str(only_measure(measure)), depth, set_of(queries)]
    rows = records(conn, PredictorQuality, "SELECT * FROM stc.predictor_quality(%s, %s, %s, %s, %s)", values)
    return RecordTable(rows, columns=columns_of(PredictorQuality), editions=[edition])
