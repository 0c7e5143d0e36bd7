"""Rankings that admit ties: known cases, the tests they build on, and coverage in simulated collections."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from scipy.special import ndtr

from stcollection.analysis import paired
from stcollection.analysis.rank_intervals import all_pairs, queries_needed, rank_bounds

pytestmark = pytest.mark.slow

Draw = Callable[[np.random.Generator, paired.Floats, int], paired.Floats]


def normal(random: np.random.Generator, means: paired.Floats, queries: int) -> paired.Floats:
    """Draw scores with a common effect of each query."""
    return np.asarray(means + random.normal(0, 0.2, (queries, 1)) + random.normal(0, 0.15, (queries, len(means))))


def skewed(random: np.random.Generator, means: paired.Floats, queries: int) -> paired.Floats:
    """Draw scores between 0 and 1, many near 0, that depend on a common effect of each query."""
    mixed = random.normal(size=(queries, 1)) + random.normal(0, 0.7, (queries, len(means)))
    return np.asarray(ndtr(mixed / math.sqrt(1.49)) ** (1 / means - 1))  # the mean of u^k is 1 / (k + 1)


def test_one_pair_is_nearly_the_t_test() -> None:
    values = normal(np.random.default_rng(3), np.array([0.5, 0.45]), 60)
    found = all_pairs(values, resamples=50_000, seed=0, alpha=0.05)
    moves = values[:, :1] - values[:, 1:]
    low, high = paired.t_interval(moves, alpha=0.05)
    assert found.p == pytest.approx(paired.t_test(moves), abs=0.01)
    assert [found.low[0], found.high[0]] == pytest.approx([low[0], high[0]], abs=0.003)
    sure = float(scipy.stats.norm.cdf(moves.mean() / (moves.std() / math.sqrt(60))))
    assert found.beats[0] == pytest.approx(sure, abs=0.02)


def test_equal_runs_tie_and_a_constant_difference_separates() -> None:
    first = np.linspace(0.2, 0.8, 20)
    found = all_pairs(np.column_stack([first, first, first - 0.1]), resamples=1000, seed=0, alpha=0.05)
    assert found.p.tolist() == [1.0, pytest.approx(1 / 1001), pytest.approx(1 / 1001)]
    assert found.beats.tolist() == [0.5, 1.0, 1.0]
    low, high = rank_bounds(found.separated(3, 0.05))
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])


@pytest.mark.parametrize("level", [0.05, 0.001])
@pytest.mark.parametrize("effect", [0.15, 0.4, 0.9])
def test_the_number_of_queries_has_the_power(level: float, effect: float) -> None:
    n = float(queries_needed(np.array([effect]), level=level, power=0.8)[0])

    def power(queries: float) -> float:
        limit = scipy.stats.t.isf(level / 2, queries - 1)
        return float(scipy.stats.nct.sf(limit, queries - 1, effect * math.sqrt(queries)))

    assert power(n + 2) >= 0.8 > power(n - 2)
    assert queries_needed(np.array([0.0]), level=level, power=0.8)[0] == math.inf


def _coverage(draw: Draw, means: paired.Floats, queries: int) -> tuple[float, float, float]:
    """Return how often intervals of scores, of all differences together, and of all ranks together contain the truth."""
    random, scores, differences, ranks = np.random.default_rng(7), 0.0, 0, 0
    first, last = (means[None] > means[:, None]).sum(axis=1) + 1, (means[None] >= means[:, None]).sum(axis=1)
    for seed in range(1000):
        values = draw(random, means, queries)
        low, high = paired.t_interval(values, alpha=0.05)
        scores += float(np.mean((low <= means) & (means <= high)))
        found = all_pairs(values, resamples=1000, seed=seed, alpha=0.05)
        true = means[found.one] - means[found.other]
        differences += bool(np.all((found.low <= true) & (true <= found.high)))
        begin, end = rank_bounds(found.separated(len(means), 0.05))
        ranks += bool(np.all((begin <= first) & (last <= end)))
    return scores / 1000, differences / 1000, ranks / 1000


@pytest.mark.parametrize("draw", [normal, skewed])
def test_tied_runs_are_covered(draw: Draw) -> None:
    """If all runs tie, a run's true rank is every rank, and the interval must be all ranks."""
    for share in _coverage(draw, np.full(12, 0.35), 100):
        assert 0.93 <= share <= 0.97


def test_different_runs_are_covered() -> None:
    """Distinct true ranks are contained at least as often: a rank is wrong only if a difference has the wrong sign."""
    scores, differences, ranks = _coverage(skewed, np.linspace(0.25, 0.45, 12), 100)
    assert 0.93 <= scores <= 0.97
    assert 0.93 <= differences <= 0.97
    assert ranks >= differences
