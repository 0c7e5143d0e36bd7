"""Rankings that admit ties: ranks with intervals, groups of runs that do not differ, and what it takes to separate two runs."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg

from stcollection.analysis.intervals import Interval
from stcollection.analysis.paired import effect_sizes
from stcollection.analysis.rank_intervals import AllPairs, all_pairs, queries_needed, rank_bounds
from stcollection.analysis.records import RankedRun, RankIntervals, RunPair, SystemScore
from stcollection.analysis.systems import system_scores
from stcollection.analysis.tie_groups import ranked_groups
from stcollection.analysis.tie_rules import MOST as MOST
from stcollection.analysis.tie_rules import MOST_SEED as MOST_SEED
from stcollection.analysis.tie_rules import USUAL as USUAL
from stcollection.analysis.tie_rules import TieRules as TieRules
from stcollection.db.simulated import note_simulated
from stcollection.errors import BadArgument, StateError
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.topics.sets import ALL, titled

FEWEST = 2  # queries


@note_simulated("edition")
def tied_ranking(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    rules: TieRules = USUAL,
    queries: str = ALL,
) -> RankIntervals:
    """Rank runs with the uncertainty that comes from the choice of queries.

    A query without documents in a run scores 0. The intervals of ranks, the groups and the corrected p of pairs come from one test
    of all pairs (:mod:`~stcollection.analysis.rank_intervals`), so that they cannot contradict each other.

    :param runs: names; all if empty. :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: a run, the edition, or the measure does not exist.
    :raises BadArgument: the measure is not a mean over queries.
    :raises StateError: no run is stored, or fewer than two queries are judged.
    """
    if measure.kind.mean != "mean":
        raise BadArgument(f"{measure} is not a mean over queries", hint="Rank by a measure that is a mean, such as nDCG@10 or AP.")
    scores = system_scores(conn, edition=edition, measure=measure, runs=runs, interval=Interval(alpha=rules.alpha), queries=queries)
    size = len(scores[0].values)
    if size < FEWEST:
        raise StateError(
            f"{titled(edition, queries)} has {size} judged query",
            hint="Resampling needs at least 2 queries, and useful intervals 25 or more.",
            sqlstate="IR405",
        )
    pairs, ranked = rank_with_ties(scores, rules)
    return RankIntervals(
        edition=titled(edition, queries),
        measure=str(measure),
        queries=size,
        alpha=rules.alpha,
        resamples=rules.resamples,
        runs=ranked,
        pairs=_pairs(pairs, [score.run for score in scores], size, rules),
    )


def rank_with_ties(scores: Sequence[SystemScore], rules: TieRules = USUAL) -> tuple[AllPairs, list[RankedRun]]:
    """Rank runs that are already scored, as :func:`tied_ranking` does.

    :param scores: scores by query, none missing, best run first, on at least ``FEWEST`` queries.
    :returns: the tests of all pairs, and the runs in the same order.
    """
    values = np.column_stack([score.values for score in scores])
    pairs = all_pairs(values, resamples=rules.resamples, seed=rules.seed, alpha=rules.alpha)
    beats = pairs.separated(len(scores), rules.alpha)
    groups, (low, high) = ranked_groups(beats.tolist()), rank_bounds(beats)
    means = np.round([score.mean for score in scores], 12)
    return pairs, [
        RankedRun(
            run=score.run,
            mean=score.mean,
            low=score.low,
            high=score.high,
            rank=1 + int(np.count_nonzero(means > means[at])),
            rank_low=int(low[at]),
            rank_high=int(high[at]),
            group=groups[at],
        )
        for at, score in enumerate(scores)
    ]


def _pairs(pairs: AllPairs, names: Sequence[str], queries: int, rules: TieRules) -> list[RunPair]:
    special: Any = importlib.import_module("scipy.special")
    effects, _ = effect_sizes(pairs.summary)
    level = 2 * float(special.stdtr(queries - 1, -pairs.critical))  # of a single pair, so that all pairs together have alpha
    needed = queries_needed(effects, level=level, power=rules.power)
    columns = (pairs.first, pairs.other, pairs.summary.mean, pairs.low, pairs.high, pairs.p, pairs.beats, needed)
    return [
        RunPair(names[run], names[other], mean, low, high, p, beats, None if not math.isfinite(many) or many > MOST else int(many))
        for run, other, mean, low, high, p, beats, many in zip(*(column.tolist() for column in columns), strict=True)
    ]
