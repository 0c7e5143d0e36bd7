"""Choose the threshold or range that returns documents with the best mean F1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_LOWER_ENDS = 100


class ScoreCut(NamedTuple):
    """A threshold; scores above it are returned. :param f1: mean over queries, in [0, 1]."""

    threshold: float
    f1: float


class Span(NamedTuple):
    """A range; values from low to high, inclusive, are returned. :param f1: mean over queries, in [0, 1]."""

    low: float
    high: float
    f1: float


def mean_f1(query: Integers, gold: Flags, returned: Flags) -> float:
    """Return the mean F1 = 2 · right / (returned + gold) over queries with gold; 0 for a query without returned documents.

    :param query: int64[n], the query of each document.
    :param gold: bool[n].
    :param returned: bool[n].
    """
    _, group = np.unique(query, return_inverse=True)
    size = np.bincount(group, gold)
    right, count = np.bincount(group, gold & returned), np.bincount(group, returned)
    judged = size > 0
    return float((2 * right[judged] / (size[judged] + count[judged])).mean()) if judged.any() else 0.0


def best_threshold(query: Integers, score: Floats, gold: Flags, *, floor: float = -1.0) -> ScoreCut:
    """Return the threshold with the greatest mean F1 over the queries with gold.

    A threshold lies half-way between two distinct scores. Of equally good thresholds the highest is returned.

    :param query: int64[n], the query of each document.
    :param score: float64[n].
    :param gold: bool[n].
    :param floor: below all scores: the threshold that returns everything.
    """
    order, delta = _deltas(query, score, gold)
    if not len(order):
        return ScoreCut(floor, 0.0)
    scores = score[order]
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))  # a threshold never separates equal scores
    means = np.cumsum(delta)[ends]
    best = int(np.argmax(np.round(means, 12)))
    last = ends[best]
    low = scores[last + 1] if last + 1 < len(scores) else floor
    middle = float((scores[last] + low) / 2)
    threshold = middle if low <= middle < scores[last] else float(low)
    return ScoreCut(threshold, float(means[best]))


def best_span(query: Integers, value: Floats, gold: Flags) -> Span:
    """Return the range with the greatest mean F1: the upper end is any value, the lower end one of up to 100 quantiles.

    :param query: int64[n], the query of each document.
    :param value: float64[n].
    :param gold: bool[n].
    """
    lows = np.unique(value)
    if len(lows) > _LOWER_ENDS:
        lows = np.unique(np.quantile(value, np.linspace(0, 1, _LOWER_ENDS), method="lower"))
    best = Span(0.0, 0.0, -1.0)
    total = len(np.unique(query[gold]))
    size = dict(zip(*np.unique(query[gold], return_counts=True), strict=True))
    sizes = np.array([size.get(key, 0) for key in query.tolist()], dtype=np.int64)
    for low in lows:
        above = value >= low
        order, delta = _deltas(query[above], -value[above], gold[above], sizes=sizes[above], queries=total)
        if not len(order):
            continue
        values = value[above][order]
        ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))
        means = np.cumsum(delta)[ends]
        place = int(np.argmax(np.round(means, 12)))
        if means[place] > best.f1 + 1e-12:
            best = Span(float(low), float(values[ends[place]]), float(means[place]))
    return best


def _deltas(
    query: Integers, score: Floats, gold: Flags, *, sizes: Integers | None = None, queries: int | None = None
) -> tuple[Integers, Floats]:
    """Return the documents of queries with gold by descending score, and the gain in mean F1 from returning each one too.

    :param sizes: int64[n], the number of gold documents of each document's query; None: count them.
    :param queries: number of queries with gold; None: count them.
    """
    _, group = np.unique(query, return_inverse=True)
    if sizes is None:
        sizes = np.bincount(group, gold).astype(np.int64)[group]
    order = np.lexsort((-score, group))
    order = order[sizes[order] > 0]
    if not len(order):
        return order, np.zeros(0)
    by_query = group[order]
    starts = np.flatnonzero(np.append(True, by_query[1:] != by_query[:-1]))
    start = np.repeat(starts, np.diff(np.append(starts, len(order))))
    rank = np.arange(len(order)) - start + 1
    counted = np.concatenate(([0], np.cumsum(gold[order])))
    f1 = 2 * (counted[1:] - counted[start]) / (rank + sizes[order])
    before = np.where(rank == 1, 0.0, np.concatenate(([0.0], f1[:-1])))
    total = len(starts) if queries is None else queries
    by_score = np.argsort(-score[order], kind="stable")
    return order[by_score], ((f1 - before) / total)[by_score]
