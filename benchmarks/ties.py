"""Rankings that admit ties: coverage of their intervals in simulated collections, and their time: ``python -m benchmarks ties``.

A simulated collection has runs with known true means. Scores are normal, or skewed with many values near 0, and depend on a common
effect of each query. Coverage is the share of 1,000 collections in which an interval of confidence 95 % contains the truth;
intervals of all differences, or of all ranks, must contain it together. If runs have equal means, the true rank of each is every
rank from the first to the last of them.

``coverage(draw, means, queries=…)`` is also the test (tests/analysis/test_ties.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import psycopg
from scipy.special import ndtr

from benchmarks.common import collection, server, tell, timed
from benchmarks.scoring import connection
from benchmarks.scoring import store as store_run
from stcollection.analysis import paired
from stcollection.analysis.rank_intervals import all_pairs, rank_bounds
from stcollection.analysis.ties import TieRules, tied_ranking
from stcollection.evaluation.measures import parse_measure

COLLECTIONS, RUNS, ALPHA = 1000, 12, 0.05
Draw = Callable[[np.random.Generator, paired.Floats, int], paired.Floats]


class Coverage(NamedTuple):
    """Shares of collections: the interval of a mean, all differences together, all ranks together.

    :param quantiles: quantiles of resampled ranks, for comparison: of an average run, and of the best run.
    """

    mean: float
    differences: float
    ranks: float
    quantiles: tuple[float, float]


def normal(random: np.random.Generator, means: paired.Floats, queries: int) -> paired.Floats:
    """Draw normal scores: float[queries, runs]."""
    return np.asarray(means + random.normal(0, 0.2, (queries, 1)) + random.normal(0, 0.15, (queries, len(means))))


def skewed(random: np.random.Generator, means: paired.Floats, queries: int) -> paired.Floats:
    """Draw scores between 0 and 1, many near 0: float[queries, runs]."""
    mixed = random.normal(size=(queries, 1)) + random.normal(0, 0.7, (queries, len(means)))
    return np.asarray(ndtr(mixed / math.sqrt(1.49)) ** (1 / means - 1))  # the mean of u^k is 1 / (k + 1)


def coverage(
    draw: Draw, means: paired.Floats, *, queries: int, collections: int = COLLECTIONS, quantiles: bool = False
) -> Coverage:
    """Simulate collections and count how often the intervals contain the truth."""
    random, scores, differences, ranks, every, best = np.random.default_rng(7), 0.0, 0, 0, 0.0, 0.0
    first, last = (means[None] > means[:, None]).sum(axis=1) + 1, (means[None] >= means[:, None]).sum(axis=1)
    for seed in range(collections):
        values = draw(random, means, queries)
        low, high = paired.t_interval(values, alpha=ALPHA)
        scores += float(np.mean((low <= means) & (means <= high)))
        found = all_pairs(values, resamples=1000, seed=seed, alpha=ALPHA)
        true = means[found.first] - means[found.other]
        differences += bool(np.all((found.low <= true) & (true <= found.high)))
        begin, end = rank_bounds(found.separated(len(means), ALPHA))
        ranks += bool(np.all((begin <= first) & (last <= end)))
        if quantiles:
            drawn = paired.resampled(values, 1000, seed)
            places = 1 + (drawn[None] > drawn[:, None]).sum(axis=1)
            begin, end = np.quantile(places, [ALPHA / 2, 1 - ALPHA / 2], axis=1)
            held = (begin <= first) & (last <= end)
            every, best = every + float(held.mean()), best + float(held[np.argmax(means)])
    return Coverage(scores / collections, differences / collections, ranks / collections, (every / collections, best / collections))


def _simulated() -> None:
    tied, spread, near = np.full(RUNS, 0.35), np.linspace(0.25, 0.45, RUNS), np.linspace(0.35, 0.361, RUNS)
    for queries in (8, 16, 25, 50, 100):
        even, uneven = (_percent(coverage(draw, tied, queries=queries).ranks) for draw in (normal, skewed))
        tell(f"ranks of all runs together, all tied, {queries} queries: normal, skewed", even, uneven, wanted="93 to 97 %")
    found = [coverage(draw, spread, queries=100) for draw in (normal, skewed)]
    for what, values in (
        ("ranks of all runs together, means .25 to .45", [one.ranks for one in found]),
        ("all differences together, means .25 to .45", [one.differences for one in found]),
        ("mean of a run", [one.mean for one in found]),
    ):
        tell(f"{what}, 100 queries: normal, skewed", _percent(values[0]), _percent(values[1]))
    every, best = coverage(skewed, near, queries=50, quantiles=True).quantiles
    tell("quantiles of resampled ranks, 50 queries, skewed: run, best", _percent(every), _percent(best))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def store(conn: psycopg.Connection, runs: int, queries: int) -> None:
    """Store runs of 20 documents per query, of which about a third are relevant, and an edition of judgments."""
    random = np.random.default_rng(1)
    with conn.cursor() as cursor:
        cursor.execute("INSERT INTO dblp (id, docno, doc, stub) SELECT i, i::text, '{}', true FROM generate_series(1, 60) i")
        cursor.execute("INSERT INTO st1_queries (query) SELECT 'q' || i FROM generate_series(1, %s) i", [queries])
        cursor.execute("INSERT INTO st1_runs (run) SELECT 'r' || i FROM generate_series(1, %s) i", [runs])
        cursor.execute("INSERT INTO qrels_editions (edition) VALUES ('generated')")
        with cursor.copy("COPY qrels_judgments (edition, query, doc, rel) FROM STDIN") as copy:
            for query in range(1, queries + 1):
                for doc in range(1, 61):
                    copy.write_row((1, query, doc, int(doc <= 20)))
    for run in range(1, runs + 1):
        keys = random.normal(size=(queries, 60)) + 0.02 * run * (np.arange(60) < 20)
        store_run(conn, run, np.argsort(-keys)[:, :20] + 1)
    conn.execute("VACUUM (ANALYZE)")


def main() -> None:
    _simulated()
    with server() as at, collection(at, "bench_ties") as settings, connection(settings) as conn:
        store(conn, 100, 100)
        measure = parse_measure("nDCG@10")

        def python() -> None:
            tied_ranking(conn, edition="generated", measure=measure, rules=TieRules(resamples=10_000))

        python()
        tell("100 runs × 100 queries × 10,000 resamples", f"{timed(python):.2f} s", wanted="at most 5 s")


if __name__ == "__main__":
    main()
