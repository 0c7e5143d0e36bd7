"""Reusability of judgments for systems outside the pool: leave runs out, and count unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, columns_of, declare
from stcollection.errors import BadArgument, StateError, UnknownObject, translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import NamedEdition, OneMeasure, QuerySet, Runs, only_measure, runs_of, set_of
from stcollection.topics.sets import ALL

_WHOLE = 2**31 - 1  # a cutoff larger than any ranking


class LeftOut(NamedTuple):
    """One row of the SQL function reusability: a run after its own, or its team's, unique contributions to the pool are removed.

    :param sole: number of judged documents that only it contributed; ``sole_relevant`` counts the relevant ones.
    :param before: mean score by the edition; ``after``: without these judgments. Ranks are among all runs, 1 = best.
    :param tau, tau_ap: of the rankings of all runs before and after; None for fewer than two runs.
    :param max_drop: the most ranks any run loses.
    """

    left_out: str
    run: str
    sole: int
    sole_relevant: int
    before: float
    after: float
    rank_before: int
    rank_after: int
    tau: float | None
    tau_ap: float | None
    max_drop: int


@declare
@note_simulated("edition")
@translate()
def reusability(
    conn: psycopg.Connection,
    edition: NamedEdition,
    *,
    measure: OneMeasure = nDCG @ 10,
    by: Literal["run", "team"] = "run",
    depth: Annotated[int, AllowedRange(ge=1)] = 10,
    runs: Runs = (),
    queries: QuerySet = ALL,
) -> RecordTable[LeftOut]:
    """Leave each run, or each team with all its runs, out of the pool. Nothing is written (sql/analysis/leave_out.sql).

    A run without a team counts as a separate team. The runs that filled the pool are also the runs that are ranked.

    :param measure: Measure: nDCG@k, P@k, R@k, RR, AP or Bpref.
    :param by: Leave out one run at a time, or one team with all its runs.
    :param depth: Depth of the pool that the runs contributed to.
    :param runs: Runs that filled the pool.
    :returns: one row per run, the most ranks lost first.
    :raises UnknownObject: a run, the edition, or the measure does not exist.
    :raises BadArgument: the depth is below 1, or ``by`` is another word.
    """
    arguments = [edition, str(only_measure(measure)), depth, by, runs_of(runs), set_of(queries)]
    rows = records(conn, LeftOut, "SELECT * FROM reusability(%s, %s, %s, %s, %s::text[], %s)", arguments)
    return RecordTable(rows, columns=columns_of(LeftOut), editions=[edition])


class ReusabilitySummary(NamedTuple):
    """Summary of how the ranking of runs changes when runs or teams are left out of the pool.

    :param left_out: number of runs or teams left out.
    :param tau, tau_ap: means over them, and the lowest tau; None without a ranking.
    :param max_drop: the most ranks any run loses when any is left out.
    :param lost: mean share of its score that a run loses, over the runs with a score, and the largest share.
    """

    left_out: int
    tau: float | None
    lowest_tau: float | None
    tau_ap: float | None
    max_drop: int
    lost: float
    most_lost: float


def summarise(rows: Sequence[LeftOut]) -> ReusabilitySummary:
    """Summarise leaving each run or team out. Tau counts once per run or team left out; the loss counts once per run."""
    each = {row.left_out: row for row in rows}.values()
    taus = [row.tau for row in each if row.tau is not None]
    taus_ap = [row.tau_ap for row in each if row.tau_ap is not None]
    lost = [(row.before - row.after) / row.before for row in rows if row.before]
    return ReusabilitySummary(
        len(each),
        _mean(taus),
        min(taus, default=None),
        _mean(taus_ap),
        max((row.max_drop for row in each), default=0),
        _mean(lost) or 0.0,
        max(lost, default=0.0),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


@translate()
def pool_of(conn: psycopg.Connection, *, pool: str | None, depth: int | None, runs: Sequence[str]) -> tuple[int, list[str]]:
    """Return a pool's depth and the runs that filled it, from the stored pool (qrels_pools) or from the arguments.

    :param depth: overrides the depth of the stored pool. Without either it is 10, the depth of the track's pools.
    :raises UnknownObject: the pool does not exist.
    :raises StateError: the stored pool has no depth, and none is given.
    :raises BadArgument: both a stored pool and runs are given.
    """
    if pool is None:
        return (10 if depth is None else depth), list(runs)
    if runs:
        raise BadArgument("both a stored pool and runs are given", hint="A stored pool defines its runs; give only one of the two.")
    row = conn.execute("SELECT params -> 'depth', params -> 'runs' FROM stc_all.qrels_pools WHERE pool = %s", [pool]).fetchone()
    if row is None:
        known = [name for (name,) in conn.execute("SELECT pool FROM stc_all.qrels_pools ORDER BY pool")]
        hint = f"The pools are {', '.join(known)}." if known else "No pool is stored; give --depth instead."
        raise UnknownObject(f"no pool {pool!r}", hint=hint)
    stored_depth, stored_runs = row
    if depth is None and not isinstance(stored_depth, int):
        raise StateError(f"the pool {pool!r} has no stored depth", hint="Give --depth.", sqlstate="IR405")
    return (stored_depth if depth is None else depth), (list(stored_runs) if isinstance(stored_runs, list) else [])


class Bounds(NamedTuple):
    """Bounds of a run's value for one query, or of the mean over all queries (query ""), given unjudged documents.

    :param retrieved, unjudged: number of documents up to the cutoff, or in the whole ranking if the measure has no cutoff.
    :param share: unjudged / retrieved, averaged over the queries with retrieved documents; None without such queries.
    :param value: counts unjudged documents as not relevant.
    :param condensed: ignores unjudged documents (trec_eval -J).
    :param worst, best: lowest and highest possible value, whatever grades they have; None for Bpref.
    """

    run: str
    query: str
    retrieved: int
    unjudged: int
    share: float | None
    value: float
    condensed: float
    worst: float | None
    best: float | None


@declare
@note_simulated("edition")
@translate()
def unjudged(
    conn: psycopg.Connection,
    edition: NamedEdition,
    *,
    measure: OneMeasure = nDCG @ 10,
    runs: Runs = (),
    queries: QuerySet = ALL,
    per_query: Annotated[bool, Option("-q", "--per-query")] = False,
) -> list[Bounds]:
    """Report how much of the runs is unjudged, and how that bounds a measure (sql/analysis/score_bounds.sql).

    :param measure: Measure: nDCG@k, P@k, R@k, RR, AP or Bpref.
    :param per_query: Print one row per query, not only the mean.
    :returns: one row per run, best value first; or one per run and query, sorted by name.
    :raises UnknownObject: a run, the edition, or the measure does not exist.
    """
    bounded = only_measure(measure)
    rows = records(
        conn,
        Bounds,
        "SELECT run, query, retrieved, u.unjudged, share, value, condensed, worst, best"
        " FROM unjudged_at(%(runs)s::text[], %(edition)s, %(cutoff)s, %(queries)s) u"
        " JOIN stc.score_bounds(%(runs)s::text[], %(edition)s, %(measure)s, %(queries)s) b USING (run, query)"
        ' ORDER BY run COLLATE "C", query COLLATE "C"',
        {
            "runs": runs_of(runs),
            "edition": edition,
            "cutoff": bounded.cutoff or _WHOLE,
            "measure": str(bounded),
            "queries": set_of(queries),
        },
    )
    if per_query:
        return rows
    by_run: dict[str, list[Bounds]] = {}
    for row in rows:
        by_run.setdefault(row.run, []).append(row)
    return sorted((_over_queries(run, of_run) for run, of_run in by_run.items()), key=lambda mean: (-mean.value, mean.run.encode()))


def _over_queries(run: str, rows: Sequence[Bounds]) -> Bounds:
    def mean_known(values: Sequence[float | None]) -> float | None:
        return _mean([value for value in values if value is not None])

    return Bounds(
        run,
        "",
        sum(row.retrieved for row in rows),
        sum(row.unjudged for row in rows),
        mean_known([row.share for row in rows]),
        sum(row.value for row in rows) / len(rows),
        sum(row.condensed for row in rows) / len(rows),
        mean_known([row.worst for row in rows]),
        mean_known([row.best for row in rows]),
    )
