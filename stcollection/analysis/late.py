"""Runs that were submitted after the judgments: how much of them is unjudged, and which ranks that and the queries allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import psycopg

from stcollection.analysis.reusability import unjudged
from stcollection.analysis.ties import USUAL, TieRules, tied_ranking
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, declare
from stcollection.errors import StateError, translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import NamedEdition, OneMeasure, QuerySet, only_measure, set_of
from stcollection.topics.sets import ALL


class LateRun(NamedTuple):
    """A run among all stored runs.

    :param retrieved, unjudged, share: as in :class:`~stcollection.analysis.reusability.Bounds`.
    :param value: the mean, where unjudged documents are not relevant. :param rank: by this mean.
    :param rank_low, rank_high: interval of the rank over queries, as in :class:`~stcollection.analysis.records.RankedRun`.
    :param worst, best: bounds of the mean, whatever grades the unjudged documents have; None for Bpref.
    :param rank_best, rank_worst: ranks of these bounds among the means of the other runs.
    """

    run: str
    retrieved: int
    unjudged: int
    share: float | None
    value: float
    rank: int
    rank_low: int
    rank_high: int
    worst: float | None
    best: float | None
    rank_best: int | None
    rank_worst: int | None


@declare
@note_simulated("edition")
@translate()
def late_runs(
    conn: psycopg.Connection,
    runs: Annotated[Sequence[str], Option("RUN", each="run")],
    *,
    edition: NamedEdition,
    measure: OneMeasure = nDCG @ 10,
    rules: TieRules = USUAL,
    queries: QuerySet = ALL,
) -> list[LateRun]:
    """Return what the judgments of an edition can say about runs that they were not made for, best mean first.

    :param runs: Stored runs, which are ranked among all stored runs.
    :param measure: Measure: nDCG@k, P@k, R@k, RR, AP or Bpref.
    :raises UnknownObject: a run, the edition, or the measure does not exist.
    :raises StateError: no other run is stored, or fewer than two queries are judged.
    """
    measure, queries = only_measure(measure), set_of(queries)
    bounds = {bound.run: bound for bound in unjudged(conn, edition=edition, measure=measure, queries=queries)}
    if not set(runs) <= set(bounds):
        unjudged(conn, edition=edition, measure=measure, runs=runs, queries=queries)  # names the unknown run
    if not set(bounds) - set(runs):
        raise StateError("there is no other run to compare with", hint="'stc load --as runs' stores some.", sqlstate="IR405")
    ranked = tied_ranking(conn, edition=edition, measure=measure, rules=rules, queries=queries)
    late = []
    for run in ranked.runs:
        if run.run in runs:
            own = bounds[run.run]
            others = [other.value for other in bounds.values() if other.run != run.run]
            ranks = [
                None if bound is None else 1 + sum(round(value, 12) > round(bound, 12) for value in others)
                for bound in (own.best, own.worst)
            ]
            late.append(
                LateRun(
                    run=run.run,
                    retrieved=own.retrieved,
                    unjudged=own.unjudged,
                    share=own.share,
                    value=own.value,
                    rank=run.rank,
                    rank_low=run.rank_low,
                    rank_high=run.rank_high,
                    worst=own.worst,
                    best=own.best,
                    rank_best=ranks[0],
                    rank_worst=ranks[1],
                )
            )
    return late
