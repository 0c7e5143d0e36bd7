"""Similarity of two rankings of a query, as the package repro_eval measures it (the tests compare the values with it)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any


def tau_union(first: Sequence[str], now: Sequence[str]) -> float:
    """Return Kendall's tau union of two rankings: 1 for equal ones; NaN with fewer than two documents.

    Documents are numbered by name within the union of both rankings, and tau-b compares the numbers rank by rank (Breuer et al.,
    SIGIR 2020). The longer ranking is cut at the length of the shorter one.
    """
    length = min(len(first), len(now))
    number = {doc: place for place, doc in enumerate(sorted({*first[:length], *now[:length]}))}
    if length < 2:
        return float("nan")
    stats: Any = import_module("scipy.stats")  # imported on demand: loading takes a second
    return float(stats.kendalltau([number[doc] for doc in first[:length]], [number[doc] for doc in now[:length]]).statistic)


def rank_biased_overlap(first: Sequence[str], now: Sequence[str], *, p: float = 0.95, depth: int = 1000) -> float:
    """Return the rank-biased overlap of two rankings, from 0 to 1 (Webber, Moffat and Zobel, ACM TOIS 28(4), 2010).

    The overlap at each rank up to ``depth`` has the weight p to the power of the rank, and the weights sum to 1 (Clarke et al., ACM
    TOIS 39(3), 2021). Rankings are not extrapolated: equal rankings that end before ``depth`` have less than 1.
    """
    seen_first: set[str] = set()
    seen_now: set[str] = set()
    common = 0
    score, total, weight = 0.0, 0.0, 1.0
    for place in range(depth):
        for ranking, own, other in ((first, seen_first, seen_now), (now, seen_now, seen_first)):
            if place < len(ranking):
                own.add(ranking[place])
                common += ranking[place] in other
        score += weight * common / (place + 1)
        total += weight
        weight *= p
    return score / total
