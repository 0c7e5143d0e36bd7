"""Effectiveness over the snapshots of a collection: how the scores of a run, and its lead over a baseline, change.

The comparison of two snapshots is that of an experiment with its replication (Breuer et al., SIGIR 2020). The tests compare the
values with the package repro_eval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import psycopg

from stcollection.analysis.collection_records import EffectOverTime
from stcollection.analysis.collection_records import SnapshotScore as SnapshotScore
from stcollection.corpus.snapshots import snapshots
from stcollection.errors import BadArgument, StateError
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.score import score
from stcollection.qrels.simulated import simulated_note
from stcollection.topics.sets import ALL, titled

Scores = Mapping[str, float]  # by query


def over_time(
    conn: psycopg.Connection,
    *,
    run: str,
    baseline: str,
    edition: str,
    measure: Measure,
    days: Sequence[str] = (),
    queries: str = ALL,
) -> EffectOverTime:
    """Score a run and a baseline as of several days, and compare each with the first.

    :param days: YYYY-MM-DD; all snapshots if empty. :param queries: a set of queries.
    :returns: a record with one row per day, by date.
    :raises BadArgument: run and baseline are the same, fewer than two days, or a day is not a date or before the first snapshot.
    :raises StateError: there are no snapshots, or no judgment is left on a day.
    """
    if run == baseline:
        raise BadArgument(f"the run {run} is its own baseline", hint="Name another run as baseline.", sqlstate="IR202")
    chosen = sorted(set(days)) or [str(row[0]) for row in snapshots(conn)[1]]
    if not chosen:
        hint = "Load files with their date: stc corpus load FILE --date YYYY-MM-DD."
        raise StateError("the collection has no snapshots", hint=hint, sqlstate="IR405")
    if len(chosen) < 2:
        raise BadArgument(f"only one day: {chosen[0]}", hint="Effectiveness over time needs two days or more.", sqlstate="IR202")
    scored = []
    for day in chosen:
        by_run: dict[str, dict[str, float]] = {run: {}, baseline: {}}
        for one in score(conn, runs=[run, baseline], edition=edition, measures=[measure], queries=queries, as_of=day):
            by_run[one.run][one.query] = one.value
        scored.append((by_run[run], by_run[baseline]))
    return EffectOverTime(
        run=run,
        baseline=baseline,
        edition=titled(edition, queries),
        measure=str(measure),
        days=[compare_with_first(day, scored[0], now) for day, now in zip(chosen, scored, strict=True)],
        simulated=simulated_note(conn, [edition]),
    )


def compare_with_first(day: str, first: tuple[Scores, Scores], now: tuple[Scores, Scores]) -> SnapshotScore:
    """Compare the scores of a run and a baseline with those at first. :param first, now: the run's scores and the baseline's."""
    [run, base], [run_first, base_first] = map(_means, now), map(_means, first)
    both = sorted(first[0].keys() & now[0].keys())
    stats: Any = import_module("scipy.stats")  # imported on demand: loading takes a second
    gap = np.array([now[0][query] - first[0][query] for query in both])
    p_value = 1.0 if first[0] == now[0] else float(stats.ttest_ind(list(first[0].values()), list(now[0].values())).pvalue)
    return SnapshotScore(
        day=day,
        queries=len(now[0]),
        arp=run,
        baseline_arp=base,
        result_delta=_ratio(run_first - run, run_first),
        effect_ratio=_ratio(run - base, run_first - base_first),
        delta_ri=_ratio(run_first - base_first, base_first) - _ratio(run - base, base),
        rmse=float(np.sqrt(np.mean(gap**2))) if both else float("nan"),
        p_value=p_value,
    )


def _means(scores: Scores) -> float:
    return float(np.mean(list(scores.values())))


def _ratio(value: float, of: float) -> float:
    return value / of if of else float("nan")
