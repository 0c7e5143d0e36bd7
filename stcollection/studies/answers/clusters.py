"""Group answers that agree: average linkage, and correlation clustering that keeps contradictions apart.

Both take the n answers of one query with the relations of their pairs, and return int[n]: the group of each, numbered from 0 in
order of first answers. Connected components are computed in SQL (answer_components).
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Groups = npt.NDArray[np.int64]

EXACT = 10  # largest connected part for which the best grouping is computed: 3^10 / 2 steps
CONTRADICTION = 0.5  # answers with at least this probability of contradiction are never grouped together
_SURE = 0.01  # probabilities are kept this far from 0 and 1, so that one pair does not outweigh all others
_SLACK = 1e-9
_ROUNDS = 100  # limit on rounds of moves; each improves the grouping, so they end before


class AnswerPairs(NamedTuple):
    """The relations of the pairs of n answers: arrays of equal length.

    :param a: indexes of answers, from 0.
    :param same: True if both answers have the same text, and so agree.
    """

    n: int
    a: Groups
    b: Groups
    support: Floats
    oppose: Floats
    same: npt.NDArray[np.bool_]


def average(pairs: AnswerPairs, *, threshold: float) -> Groups:
    """Cluster by average linkage on the distance 1 − support; groups are joined while their mean support reaches the threshold.

    A pair without a relation has support 0.
    """
    if pairs.n < 2:
        return np.zeros(pairs.n, dtype=np.int64)
    hierarchy: Any = importlib.import_module("scipy.cluster.hierarchy")  # imported on demand: loading takes a second
    distance = np.ones((pairs.n, pairs.n))
    distance[pairs.a, pairs.b] = distance[pairs.b, pairs.a] = np.where(pairs.same, 0.0, 1.0 - pairs.support)
    tree = hierarchy.linkage(distance[np.triu_indices(pairs.n, 1)], method="average")
    return _in_order(hierarchy.fcluster(tree, t=1.0 - threshold + _SLACK, criterion="distance"))


def correlation(pairs: AnswerPairs, *, threshold: float) -> Groups:
    """Correlation clustering: find the grouping with the most agreement within and disagreement between groups.

    (Bansal, Blum & Chawla, Machine Learning 56, 2004, in its weighted form.) The weight of a pair is the log odds of its support
    minus those of the threshold; if pairs were independent, the best grouping would be the most likely one. Two answers that
    contradict each other with probability CONTRADICTION or more are never grouped, unless their texts are equal; nor are answers
    that no chain of support connects. A pair without a relation, or at the threshold, has weight 0. Each part connected by
    positive weights is grouped separately: exactly up to EXACT answers, by :func:`greedy` above.
    """
    merged, weights = merged_weights(pairs, threshold=threshold)
    size = len(weights)
    distinct = merged[pairs.a] != merged[pairs.b]
    a, b = merged[pairs.a[distinct]], merged[pairs.b[distinct]]
    never = np.zeros((size, size), dtype=np.bool_)
    apart = pairs.oppose[distinct] >= CONTRADICTION
    never[a[apart], b[apart]] = never[b[apart], a[apart]] = True
    weights[never] = -(1.0 + float(weights[(weights > 0) & ~never].sum()))  # outweighs all possible gains
    groups = np.zeros(size, dtype=np.int64)
    groups_so_far = 0
    parts = _components(weights > 0)
    for number in np.unique(parts):
        part = np.flatnonzero(parts == number)
        inner = weights[np.ix_(part, part)]
        grouping = exact(inner) if len(part) <= EXACT else greedy(inner)
        groups[part] = grouping + groups_so_far
        groups_so_far += int(grouping.max()) + 1
    return _in_order(groups[merged])


def merged_weights(pairs: AnswerPairs, *, threshold: float) -> tuple[Groups, Floats]:
    """Merge answers with the same text: return each answer's text number, and the weights between texts.

    :returns: int[pairs.n], and float[texts, texts]: the log odds of support minus those of the threshold, summed over pairs; 0
        without a relation.
    """
    merged = _same(pairs)
    size = int(merged.max(initial=-1)) + 1
    weights = np.zeros((size, size))
    distinct = merged[pairs.a] != merged[pairs.b]
    odds = log_odds(pairs.support[distinct]) - log_odds(np.array([threshold]))
    np.add.at(weights, (merged[pairs.a[distinct]], merged[pairs.b[distinct]]), odds)
    return merged, weights + weights.T


def exact(weights: Floats) -> Groups:
    """Find the grouping with the greatest sum of weights within groups, by dynamic programming over subsets.

    :param weights: float[n, n], symmetric; the diagonal is ignored. Takes 3ⁿ steps, so only for small n.
    """
    n = len(weights)
    rows = weights.tolist()
    inside, best, cut = [0.0] * (1 << n), [0.0] * (1 << n), [0] * (1 << n)
    for members in range(1, 1 << n):
        low = (members & -members).bit_length() - 1
        rest = members & (members - 1)
        inside[members] = inside[rest] + sum(rows[low][other] for other in range(low + 1, n) if rest >> other & 1)
        # groups of the first member: with each subset of the rest, the whole rest first
        top, chosen, subset = -np.inf, members, rest
        while True:
            value = inside[subset | 1 << low] + best[rest ^ subset]
            if value > top + _SLACK:
                top, chosen = value, subset | 1 << low
            if not subset:
                break
            subset = (subset - 1) & rest
        best[members], cut[members] = top, chosen
    groups, left, number = np.zeros(n, dtype=np.int64), (1 << n) - 1, 0
    while left:
        for place in range(n):
            if cut[left] >> place & 1:
                groups[place] = number
        left, number = left ^ cut[left], number + 1
    return groups


def greedy(weights: Floats) -> Groups:
    """Group by greedy additive edge contraction, then move single answers while that increases the sum of weights within groups.

    (Keuper et al., ICCV 2015, for the contraction.) Deterministic: of equal gains the first pair wins. The result may not be
    optimal, but is never worse than all answers apart, and never groups two answers whose negative weight outweighs all others.
    """
    n = len(weights)
    joined = weights.astype(np.float64)
    np.fill_diagonal(joined, -np.inf)
    groups = np.arange(n)
    while n > 1:
        into, other = divmod(int(joined.argmax()), n)
        if not joined[into, other] > _SLACK:
            break
        joined[into] += joined[other]
        joined[:, into] = joined[into]
        joined[into, into] = -np.inf
        joined[other] = joined[:, other] = -np.inf
        groups[groups == other] = into
    return _moved(weights, groups)


def _moved(weights: Floats, groups: Groups) -> Groups:
    n = len(weights)
    plain = weights.copy()
    np.fill_diagonal(plain, 0.0)
    for _ in range(_ROUNDS):
        changed = False
        for place in range(n):
            gains = np.bincount(groups, weights=plain[place], minlength=n)
            here = gains[groups[place]]
            alone = int(np.flatnonzero(np.bincount(groups, minlength=n) == 0)[0]) if np.unique(groups).size < n else -1
            target = int(gains.argmax()) if gains.max() > 0 else alone
            if target >= 0 and max(float(gains.max()), 0.0) > here + _SLACK:
                groups[place], changed = target, True
        if not changed:
            break
    return _in_order(groups)


def log_odds(chances: Floats) -> Floats:
    sure = np.clip(chances, _SURE, 1 - _SURE)
    return np.asarray(np.log(sure / (1 - sure)), dtype=np.float64)


def _same(pairs: AnswerPairs) -> Groups:
    """Number the texts: answers with the same text get the same number."""
    joined = np.zeros((pairs.n, pairs.n), dtype=np.bool_)
    joined[pairs.a[pairs.same], pairs.b[pairs.same]] = True
    return _in_order(_components(joined))


def _components(joined: npt.NDArray[np.bool_]) -> Groups:
    """Return the connected part of each node of a graph."""
    graphs: Any = importlib.import_module("scipy.sparse.csgraph")
    parts: Groups = graphs.connected_components(joined, directed=False)[1]
    return parts


def _in_order(groups: npt.NDArray[Any]) -> Groups:
    """Renumber groups from 0 in order of first members."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse].reshape(-1), dtype=np.int64)
