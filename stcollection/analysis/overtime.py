"""Effectiveness over the snapshots of a collection: how the scores of a run, and its lead over a baseline, change.

The comparison of two snapshots is that of an experiment with its replication (Breuer et al., SIGIR 2020). The tests compare the
values with the package repro_eval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import numpy as np
import psycopg

from stcollection.analysis.collection_records import EffectOverTime
from stcollection.analysis.collection_records import SnapshotScore as SnapshotScore
from stcollection.analysis.orderings import rank_biased_overlap, tau_union
from stcollection.corpus.snapshots import snapshots
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, RecordTable, columns_of, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.parameters import Edition, OneMeasure, QuerySet, edition_of, only_measure, set_of
from stcollection.evaluation.score import score
from stcollection.topics.sets import ALL, Queries, titled

Scores = Mapping[str, float]  # by query
Rankings = Mapping[str, Sequence[str]]  # documents by query, best first


@note_simulated("edition")
def over_time(
    conn: psycopg.Connection,
    *,
    run: str,
    baseline: str,
    edition: str,
    measure: OneMeasure,
    days: Sequence[str] = (),
    queries: Queries = ALL,
) -> EffectOverTime:
    """Score a run and a baseline as of several days, and compare each with the first.

    :param days: YYYY-MM-DD, or YYYY-MM-DD=EDITION for a day with its own judgments; all snapshots if empty.
    :param queries: a set of queries.
    :returns: a record with one row per day, by date.
    :raises BadArgument: run and baseline are the same, fewer than two days, or a day is not a date or before the first snapshot.
    :raises StateError: there are no snapshots, or no judgment is left on a day.
    """
    if run == baseline:
        raise BadArgument(f"the run {run} is its own baseline", hint="Name another run as baseline.")
    chosen = sorted(set(days)) or [str(row[0]) for row in snapshots(conn)[1]]
    if not chosen:
        hint = "Load files with their date: stc load --as corpus FILE --date YYYY-MM-DD."
        raise StateError("the collection has no snapshots", hint=hint, sqlstate="IR405")
    if len(chosen) < 2:
        raise BadArgument(f"only one day: {chosen[0]}", hint="Effectiveness over time needs two days or more.")
    by, of_queries = only_measure(measure), set_of(queries)
    seen = [
        _seen(conn, day, (run, baseline), edition=own or edition, measure=by, queries=of_queries) for day, own in map(_day, chosen)
    ]
    return EffectOverTime(
        run=run,
        baseline=baseline,
        edition=titled(edition, of_queries),
        measure=str(by),
        days=[compare_with_first(seen[0], now) for now in seen],
    )


@declare
@note_simulated()
def score_over_time(
    conn: psycopg.Connection,
    run: Annotated[str, Option("RUN")],
    baseline: Annotated[str, Option("BASELINE")],
    *,
    edition: Edition = None,
    measure: OneMeasure = "nDCG@10",
    queries: QuerySet = ALL,
    days: Annotated[Sequence[str], Option(metavar="LIST", default="all snapshots", separated=True)] = (),
) -> RecordTable[SnapshotScore]:
    """Score a run and a baseline on the snapshots of the collection, and compare each snapshot with the first.

    Each row is a day, with the fields of :class:`SnapshotScore`.

    :param run: A stored run. :param baseline: The run to compare it with.
    :param days: Days YYYY-MM-DD, separated by commas; YYYY-MM-DD=EDITION for a day with its own judgments.
    :raises StcError: as for :func:`over_time`.
    """
    chosen = edition_of(conn, edition)
    effect = over_time(conn, run=run, baseline=baseline, edition=chosen, measure=measure, days=days, queries=queries)
    own = [name for _, name in map(_day, days) if name]
    return RecordTable(effect.days, columns=columns_of(SnapshotScore), editions=[chosen, *own])


def _day(text: str) -> tuple[str, str]:
    """Return the day and the edition of ``YYYY-MM-DD=EDITION``; '' for a day without an edition."""
    day, _, edition = text.strip().partition("=")
    return day, edition


class Seen(NamedTuple):
    """A run and a baseline on a day. :param rankings: of the run, by query; documents, best first."""

    day: str
    run: Scores
    baseline: Scores
    rankings: Rankings


def _seen(conn: psycopg.Connection, day: str, runs: tuple[str, str], *, edition: str, measure: Measure, queries: str) -> Seen:
    by_run: dict[str, dict[str, float]] = {name: {} for name in runs}
    for value in score(conn, runs=runs, edition=edition, measures=[measure], queries=queries, as_of=day):
        by_run[value.run][value.query] = value.value
    run, baseline = runs
    return Seen(day, by_run[run], by_run[baseline], rankings_as_of(conn, run, day))


@translate()
def rankings_as_of(conn: psycopg.Connection, run: str, day: str) -> dict[str, list[str]]:
    """Return the first 1,000 documents of a run by query, as if the collection had been its snapshot of a day.

    :raises UnknownObject: no such run. :raises BadArgument: the day is not a date, or there is no snapshot up to it.
    """
    return dict(conn.execute("SELECT query, docnos FROM stc.rankings_as_of(%s, %s)", [run, day]).fetchall())


def compare_with_first(first: Seen, now: Seen) -> SnapshotScore:
    """Compare the scores and rankings of a run, and its lead over a baseline, with those at first."""
    stats: Any = import_module("scipy.stats")  # imported on demand: loading takes a second
    run, base, run_first, base_first = map(_mean, (now.run, now.baseline, first.run, first.baseline))
    both = sorted(first.run.keys() & now.run.keys())
    old, new = (np.array([scores[query] for query in both]) for scores in (first.run, now.run))
    rmse, most = _root_mean_square(new - old), _root_mean_square(np.maximum(old, 1 - old))
    same = first.run == now.run
    pairs = [(first.rankings[query], now.rankings[query]) for query in both if query in first.rankings and query in now.rankings]
    return SnapshotScore(
        day=now.day,
        queries=len(now.run),
        arp=run,
        baseline_arp=base,
        result_delta=_ratio(run_first - run, run_first),
        effect_ratio=_ratio(run - base, run_first - base_first),
        delta_ri=_ratio(run_first - base_first, base_first) - _ratio(run - base, base),
        rmse=rmse,
        nrmse=_ratio(rmse, most),
        p_value=1.0 if same else float(stats.ttest_ind(list(first.run.values()), list(now.run.values())).pvalue),
        paired_p_value=1.0 if both and np.array_equal(old, new) else _paired(stats, old, new),
        tau_union=_defined_mean([tau_union(*pair) for pair in pairs]),
        rbo=_defined_mean([rank_biased_overlap(*pair) for pair in pairs]),
    )


def _mean(scores: Scores) -> float:
    return float(np.mean(list(scores.values())))


def _defined_mean(values: Sequence[float]) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none."""
    defined = [value for value in values if value == value]
    return float(np.mean(defined)) if defined else float("nan")


def _root_mean_square(values: Any) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else float("nan")


def _paired(stats: Any, old: Any, new: Any) -> float:
    return float(stats.ttest_rel(old, new).pvalue) if len(old) > 1 else float("nan")


def _ratio(value: float, of: float) -> float:
    return value / of if of else float("nan")
