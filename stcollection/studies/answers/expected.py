"""Return the documents with the best expected F1 when it is uncertain which answers agree.

The best grouping alone ignores its uncertainty. Here every grouping of a query's answers counts with its probability: if pairs were
independent, a grouping's probability would be proportional to the product of the odds of support of the pairs it joins. Each
grouping determines the documents behind its most endorsed answer. The returned set maximises the mean F1 with these over all
groupings.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stcollection.studies.answers.clusters import AnswerPairs, Floats, Groups, correlation, log_odds, merged_weights

ALL = 8  # largest number of distinct answers for which all groupings are enumerated: 4,140
SAMPLES = 400  # groupings sampled if there are more
_BURN_IN = 40
_SEED = 20  # fixed seed: the same answers give the same documents


class Expected(NamedTuple):
    """The set of documents with the greatest expected F1.

    :param groups: int[answers], the most probable grouping.
    :param chosen: documents to return, sorted by place.
    :param chance: float[documents], the probability that each document backs the most endorsed answer.
    :param f1: expected F1 of the chosen documents.
    """

    groups: Groups
    chosen: Groups
    chance: Floats
    f1: float


def expected(pairs: AnswerPairs, documents: Groups, *, threshold: float) -> Expected:
    """Choose the documents to return for one query.

    :param documents: int[pairs.n], the document of each answer, from 0 in order of place.
    :param threshold: of support: a pair at the threshold is neutral; .5 uses the probabilities unchanged.
    """
    groupings, weight = _groupings(pairs, threshold)
    behind = _endorsed(groupings, documents)
    chosen, f1 = best_set(behind, weight)
    return Expected(groupings[int(weight.argmax())], chosen, weight @ behind, f1)


def best_set(sets: npt.NDArray[np.bool_], weight: Floats) -> tuple[Groups, float]:
    """Return the set with the greatest mean F1 against a random set, exactly.

    (Dembczyński, Waegeman, Cheng & Hüllermeier, NIPS 2011.) A member i adds Δᵢₖ = Σₛ 2 P(i in set, set has size s) / (s + k) to a
    set of size k; for each k the k greatest values are best.

    :param sets: bool[m, n], the possible values of the random set.
    :param weight: float[m], their probabilities, which sum to 1.
    :returns: the members, ascending, and the mean F1. Of equally good sets the smaller wins, then the one with earlier members.
    """
    n = sets.shape[1]
    sizes = sets.sum(axis=1)
    joint = np.zeros((n, n + 1))
    for size in range(1, n + 1):
        held = sizes == size
        if held.any():
            joint[:, size] = weight[held] @ sets[held]
    counts = np.arange(1, n + 1)
    gains = np.round(joint[:, 1:] @ (2.0 / (counts[:, None] + counts[None, :])), 12)
    order = np.argsort(-gains, axis=0, kind="stable")
    means = np.array([gains[order[:k, k - 1], k - 1].sum() for k in counts])
    best = int(np.round(means, 12).argmax())
    return np.sort(order[: best + 1, best]), float(means[best])


def _groupings(pairs: AnswerPairs, threshold: float) -> tuple[Groups, Floats]:
    """Return groupings of the answers and their probabilities, int[m, n] and float[m]: all groupings, or a sample."""
    merged, weights = merged_weights(pairs, threshold=threshold)
    size = len(weights)
    related = np.eye(size, dtype=np.bool_)
    related[merged[pairs.a], merged[pairs.b]] = related[merged[pairs.b], merged[pairs.a]] = True
    weights[~related] = log_odds(np.zeros(1))  # no relation: no support
    if size > ALL:
        drawn = _drawn(weights, _first(correlation(pairs, threshold=threshold), merged))
        return drawn[:, merged], np.full(len(drawn), 1.0 / len(drawn))
    every = partitions(size)
    together = np.zeros(len(every))
    for first in range(size):
        for second in range(first + 1, size):
            if weights[first, second]:
                together += np.where(every[:, first] == every[:, second], weights[first, second], 0.0)
    chances = np.exp(together - together.max(initial=0.0))
    return every[:, merged], chances / chances.sum()


@cache
def partitions(n: int) -> Groups:
    """Return all groupings of n items: int[Bell(n), n], each numbered from 0 in order of first members.

    >>> partitions(3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    rows = [[0] * min(n, 1)]
    for _ in range(1, n):
        rows = [[*row, group] for row in rows for group in range(max(row) + 2)]
    return np.array(rows, dtype=np.int64).reshape(len(rows), n)


def _first(groups: Groups, merged: Groups) -> Groups:
    """Return, for each text, the group of its first answer."""
    _, first = np.unique(merged, return_index=True)
    return groups[first]


def _drawn(weights: Floats, groups: Groups) -> Groups:
    """Sample groupings by Gibbs sampling, starting from a given one, which is the first of the result.

    Each answer in turn moves to a group, or to a new one, with its conditional probability given the others.
    """
    n = len(weights)
    chance = np.random.default_rng(_SEED)
    plain = weights.copy()
    np.fill_diagonal(plain, 0.0)
    now, samples = groups.copy(), [groups.copy()]
    for sweep in range(_BURN_IN + SAMPLES - 1):
        rolls = chance.random(n)
        for place in range(n):
            now[place] = n  # remove it from its group
            sizes = np.bincount(now, minlength=n + 1)[:n]
            gains = np.bincount(now, weights=plain[place], minlength=n + 1)[:n]
            free = int((sizes == 0).argmax())  # an empty group; there is always one
            open_ = sizes > 0
            open_[free] = True
            odds = np.where(open_, np.exp(gains - gains[open_].max()), 0.0).cumsum()
            now[place] = int(np.searchsorted(odds, rolls[place] * odds[-1], side="right"))
        if sweep >= _BURN_IN:
            samples.append(now.copy())
    return np.array(samples)


def _endorsed(groupings: Groups, documents: Groups) -> npt.NDArray[np.bool_]:
    """Return bool[m, documents]: which documents back the most endorsed answer of each grouping.

    The most endorsed answer has the most documents, then the most answers, then the earliest document.
    """
    m, n = groupings.shape
    count = int(documents.max(initial=-1)) + 1
    group = (np.arange(m)[:, None] * n + groupings).ravel()  # a unique number per group of each grouping
    places = np.tile(documents, m)
    held = np.unique(group * count + places)  # each (group, document) once
    of, which = held // count, held % count
    endorsement = np.bincount(of, minlength=m * n)
    answers = np.bincount(group, minlength=m * n)
    earliest = np.full(m * n, count)
    np.minimum.at(earliest, of, which)
    rank = ((endorsement * (n + 1) + answers) * (count + 1) + (count - earliest)).reshape(m, n)
    best = np.arange(m) * n + rank.argmax(axis=1)
    behind = np.zeros((m, count), dtype=np.bool_)
    won = best[of // n] == of
    behind[of[won] // n, which[won]] = True
    return behind
