"""Scores of systems with intervals, two systems query by query, and changes between two rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import psycopg

from stcollection.analysis import paired
from stcollection.analysis.impact import impact
from stcollection.analysis.intervals import STUDENT, Interval
from stcollection.analysis.records import QueryDifferences, RankingChanges, Slope, SystemMeans, SystemScore
from stcollection.db.rows import only_row
from stcollection.db.simulated import note_simulated
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.topics.sets import ALL, titled

_GRID = (
    'SELECT run, array_agg(query ORDER BY query COLLATE "C"), array_agg(value ORDER BY query COLLATE "C")'
    " FROM stc.score_grid(%s::text[], %s, %s, %s, %s) GROUP BY run"
)
_MEANS = 'SELECT run, avg(value ORDER BY query COLLATE "C") FROM stc.score_grid(%s::text[], %s, %s, query_set => %s) GROUP BY run'
_DIFFERENCES = (
    "SELECT query, difference FROM paired_scores(ARRAY[%s], %s, %s, %s, %s, %s) WHERE difference IS NOT NULL"
    ' ORDER BY difference DESC, query COLLATE "C"'
)


@translate()
def system_scores(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    interval: Interval = STUDENT,
    missing: str = "zero",
    queries: str = ALL,
) -> list[SystemScore]:
    """Return the scores of runs with their intervals, best first, runs without scores last.

    :param runs: names; all if empty.
    :param missing: a query for which a run has no value scores 0 (``zero``), or is left out of its mean (``drop``).
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: a run, the edition, or the measure does not exist.
    :raises BadArgument: an argument is outside its range.
    :raises StateError: no run is stored, or no query is judged.
    """
    arguments = [list(runs), edition, str(measure), missing, queries]
    rows = conn.execute(_GRID, arguments).fetchall()
    if not rows:
        raise _nothing(conn, edition)
    values = np.array([row[2] for row in rows], dtype=np.float64).T
    low, high = interval.of(values)
    means = paired.summarise(values).mean
    scores = [SystemScore(row[0], values[:, at], float(means[at]), float(low[at]), float(high[at])) for at, row in enumerate(rows)]
    return sorted(scores, key=lambda score: (math.isnan(score.mean), -score.mean, score.run.encode()))


@note_simulated("edition")
def system_means(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    interval: Interval = STUDENT,
    missing: str = "zero",
    queries: str = ALL,
) -> SystemMeans:
    """Return :func:`system_scores` as a record to draw."""
    scores = system_scores(conn, edition=edition, measure=measure, runs=runs, interval=interval, missing=missing, queries=queries)
    return SystemMeans(edition=titled(edition, queries), measure=str(measure), interval=interval, scores=scores)


@note_simulated("edition")
@translate()
def query_differences(
    conn: psycopg.Connection,
    run: str,
    against: str,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    interval: Interval = STUDENT,
    missing: str = "zero",
    queries: str = ALL,
) -> QueryDifferences:
    """Return the difference of two runs on each query, and the mean with its interval.

    :param missing: a query for which a run has no value scores 0 (``zero``), or is dropped (``drop``).
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: a run, the edition, or the measure does not exist.
    :raises BadArgument: a run is compared with itself.
    :raises StateError: there is no query to compare on.
    """
    if run == against:
        raise BadArgument(f"cannot compare {run!r} with itself", hint="Name another run; 'stc show runs' lists them.")
    rows = conn.execute(_DIFFERENCES, [run, edition, str(measure), against, missing, queries]).fetchall()
    if not rows:
        raise StateError(
            f"no query of {edition!r} has a value for both runs",
            hint="'stc show editions' shows the number of judged queries.",
            sqlstate="IR405",
        )
    differences = np.array([row[1] for row in rows])
    low, high = (float(end[0]) for end in interval.of(differences[:, None]))
    return QueryDifferences(
        run=run,
        against=against,
        edition=titled(edition, queries),
        measure=str(measure),
        interval=interval,
        queries=[row[0] for row in rows],
        differences=differences,
        mean=float(differences.mean()),
        low=low,
        high=high,
    )


@note_simulated("edition", "against")
@translate()
def ranking_changes(
    conn: psycopg.Connection,
    *,
    edition: str,
    against: str | None = None,
    measures: Sequence[Measure] = (nDCG @ 10,),
    runs: Sequence[str] = (),
    every: bool = False,
    queries: str = ALL,
) -> RankingChanges:
    """Rank runs by two editions, or by two measures of one edition; the best on the left comes first.

    :param every: average over all queries of each edition instead of the queries that both judge.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :returns: with Kendall's tau-b, and tau_ap with the left as the truth; each is None if it is undefined.
    :raises BadArgument: neither two editions with one measure nor one edition with two measures are given.
    :raises UnknownObject: a run, an edition, or a measure does not exist.
    :raises StateError: no run is stored, or the editions have no common query.
    """
    if (len(measures), against is None) not in ((1, False), (2, True)) or against == edition:
        lack = f"{1 if against is None else 2} × {len(measures)} rankings (editions × measures)"
        hint = "Give two editions (--edition A --against B) with one measure, or one edition with two measures (-m nDCG@10 -m AP)."
        raise BadArgument(lack if against != edition else f"cannot compare the edition {edition!r} with itself", hint=hint)
    if against is not None:
        change = impact(conn, edition, against, measure=measures[0], runs=runs, every=every, queries=queries)
        slopes = [Slope(run.run, run.value_a, run.value_b, run.rank_a, run.rank_b) for run in change.runs]
        common, sides, tau, tau_ap = titled(str(measures[0]), queries), (edition, against), change.kendall_tau, change.tau_ap
    else:
        slopes, tau, tau_ap = _by_measures(conn, edition, measures, runs, queries)
        common, sides = titled(edition, queries), (str(measures[0]), str(measures[1]))
    slopes.sort(key=lambda slope: (-slope.left, -slope.right, slope.run.encode()))  # so that lines do not cross needlessly
    return RankingChanges(common=common, left=sides[0], right=sides[1], runs=slopes, kendall_tau=tau, tau_ap=tau_ap)


def _by_measures(
    conn: psycopg.Connection, edition: str, measures: Sequence[Measure], runs: Sequence[str], queries: str
) -> tuple[list[Slope], float | None, float | None]:
    """Return the runs ranked by two measures, with tau-b and tau_ap."""
    left, right = (
        dict[str, float](conn.execute(_MEANS, [list(runs), edition, str(measure), queries]).fetchall()) for measure in measures
    )
    if not left:
        raise _nothing(conn, edition)
    order = sorted(left)
    sides = ([left[run] for run in order], [right[run] for run in order])
    tau, tau_ap = only_row(conn, "SELECT stc.kendall_tau(%s, %s), stc.tau_ap(%s, %s)", [*sides, *sides])
    places = [[1 + sum(other > value for other in side) for value in side] for side in sides]
    return [Slope(*row) for row in zip(order, *sides, *places, strict=True)], tau, tau_ap


def _nothing(conn: psycopg.Connection, edition: str) -> StateError:
    """Return the error that explains why existing runs and an existing edition have no score."""
    if conn.execute("SELECT FROM st1_runs LIMIT 1").fetchone() is None:
        return StateError(
            "no run is stored",
            hint="Import runs with 'stc load --as runs', or create them with 'stc run'.",
            sqlstate="IR405",
        )
    return StateError(f"{edition!r} judges no query", hint="Import judgments with 'stc load --as qrels'.", sqlstate="IR405")
