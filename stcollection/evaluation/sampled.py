"""Measures estimated from the judgments of a sampled pool, with standard errors (sql/evaluation/sampled_scores.sql)."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, NamedTuple

from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, columns_of, declare
from stcollection.errors import translate
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.parameters import (
    Complete,
    Edition,
    Grade,
    Measures,
    QuerySet,
    Runs,
    edition_of,
    measures_of,
    runs_of,
    set_of,
)
from stcollection.topics.sets import ALL

if TYPE_CHECKING:
    import psycopg

ESTIMATED = (Measure("xinfAP"), Measure("infNDCG"))
NORMAL = 1.959964  # 97.5 % quantile
_SCORES = (
    "SELECT run, query, measure, value, standard_error FROM stc.sampled_scores(%(runs)s::text[], %(edition)s, %(measures)s::text[],"
    " %(complete)s, %(min_grade)s, %(max_rank)s, %(queries)s, %(pooled)s)"
    ' ORDER BY run COLLATE "C", query COLLATE "C", array_position(%(measures)s::text[], measure)'
)


class Estimate(NamedTuple):
    """The value of a measure that a sample of the pool estimates.

    :param query: None for the mean over the queries.
    :param standard_error: for samples drawn from the same pool, with the same queries; 0 if each stratum is judged whole. None for
        infNDCG and ipw_nDCG otherwise: their ideal ranking is unknown.
    :param low, high: ends of the 95 % confidence interval; None without a standard error.
    """

    run: str
    query: str | None
    measure: str
    value: float
    standard_error: float | None
    low: float | None
    high: float | None


class MeanEstimate(NamedTuple):
    """The mean over the queries, as :class:`Estimate`."""

    run: str
    measure: str
    value: float
    standard_error: float | None
    low: float | None
    high: float | None


@declare
@note_simulated()
@translate()
def sampled_scores(
    conn: psycopg.Connection,
    runs: Runs = (),
    *,
    edition: Edition = None,
    measures: Measures = ESTIMATED,
    per_query: Annotated[bool, Option("-q")] = False,
    queries: QuerySet = ALL,
    complete: Complete = True,
    min_grade: Annotated[int, Grade, Option("-l")] = 1,
    max_rank: Annotated[int | None, AllowedRange(ge=1), Option("-M", default="all")] = None,
    pooled: bool = False,
) -> RecordTable[Estimate] | RecordTable[MeanEstimate]:
    """Estimate measures from the judgments of a sampled pool, with standard errors.

    The measures are xinfAP, infNDCG, ipw_P@k, ipw_R@k and ipw_nDCG@k.

    :param per_query: Print one row per query, not only the mean.
    :param min_grade: Lowest grade that counts as relevant.
    :param max_rank: Number of documents per query that count. NIST's sample_eval uses 1000.
    :param pooled: Divide sums over all queries: less biased if queries have few relevant documents, which then weigh equally.
    :returns: one MeanEstimate per run and measure, or one Estimate per run, query and measure.
    :raises UnknownObject: a run, the edition, a measure or the set does not exist.
    :raises BadArgument: another measure, or no query of the set is judged.
    :raises StateError: the edition has no strata.
    """
    edition, names = edition_of(conn, edition), [str(measure) for measure in measures_of(measures)]
    estimates = conn.execute(
        _SCORES,
        {
            "runs": runs_of(runs),
            "edition": edition,
            "measures": names,
            "complete": complete,
            "min_grade": min_grade,
            "max_rank": max_rank,
            "queries": set_of(queries),
            "pooled": pooled,
        },
    ).fetchall()
    if per_query:
        rows = [
            Estimate(run, query, measure, value, error, *_interval(value, error)) for run, query, measure, value, error in estimates
        ]
        return RecordTable(rows, columns=columns_of(Estimate), editions=[edition])
    table: dict[tuple[str, str], list[tuple[float, float | None]]] = defaultdict(list)
    for run, _, measure, value, error in estimates:
        table[run, measure].append((value, error))
    means = [_mean(run, measure, values) for (run, measure), values in table.items()]
    means.sort(key=lambda row: (names.index(row.measure), -row.value, row.run))
    return RecordTable(means, columns=columns_of(MeanEstimate), editions=[edition])


def _mean(run: str, measure: str, values: list[tuple[float, float | None]]) -> MeanEstimate:
    mean = math.fsum(value for value, _ in values) / len(values)
    errors = [error for _, error in values if error is not None]
    error = math.sqrt(math.fsum(error * error for error in errors)) / len(values) if len(errors) == len(values) else None
    return MeanEstimate(run, measure, mean, error, *_interval(mean, error))


def _interval(value: float, error: float | None) -> tuple[float | None, float | None]:
    return (None, None) if error is None else (value - NORMAL * error, value + NORMAL * error)
