"""Histograms of generated queries: distances equal scipy, proportional allotment, and the optimal assignment."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.stats import wasserstein_distance

from stcollection.studies.synth import histograms
from stcollection.studies.synth.choose import assign
from stcollection.studies.synth.histograms import allot, histogram, variation, wasserstein

Cells = list[tuple[int, int]]
cells = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 6)), min_size=1, max_size=12)


def of(pairs: Cells) -> histograms.Histogram:
    return histogram([(*cell, 1) for cell in pairs])


@given(cells, cells)
def test_distances_of_marginals_equal_scipy(a: Cells, b: Cells) -> None:
    for axis in (0, 1):
        left, right = [cell[axis] for cell in a], [cell[axis] for cell in b]
        assert wasserstein(of(a), of(b), axis) == pytest.approx(wasserstein_distance(left, right), abs=1e-12)
        p, q = Counter(left), Counter(right)
        apart = sum(abs(p[value] / len(a) - q[value] / len(b)) for value in p | q) / 2
        assert variation(of(a), of(b), axis) == pytest.approx(apart)


@pytest.mark.slow
@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(*[st.lists(st.tuples(st.integers(1, 40), st.integers(0, 9)), min_size=n, max_size=n)] * 2)
    )
)
def test_the_joint_distance_equals_the_best_matching(both: tuple[Cells, Cells]) -> None:
    a, b = both
    ways = np.abs(np.array(a)[:, None] - np.array(b)[None]).sum(axis=2)
    best = ways[linear_sum_assignment(ways)].sum() / len(a)
    joint = wasserstein(of(a), of(b))
    assert joint == pytest.approx(best, abs=1e-7)
    assert joint is not None
    marginals = [wasserstein(of(a), of(b), axis) or 0.0 for axis in (0, 1)]
    assert joint >= sum(marginals) - 1e-7
    assert variation(of(a), of(b)) >= max(variation(of(a), of(b), axis) for axis in (0, 1)) - 1e-12


def test_a_grid_too_large_has_no_joint_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histograms, "GRID", 3)
    assert wasserstein(of([(1, 1)]), of([(2, 2)])) is None
    assert wasserstein(of([(1, 1)]), of([(2, 2)]), 0) == 1
    assert wasserstein(of([(1, 1)]), of([(1, 1)])) == 0


@given(cells, st.integers(1, 60))
def test_the_allotment_is_proportional(target: Cells, n: int) -> None:
    wanted, given_ = allot(of(target), n), of(target)
    assert wanted.pairs == n
    got = dict(zip(map(tuple, wanted.cells.tolist()), wanted.counts.tolist(), strict=True))
    for cell, count in zip(map(tuple, given_.cells.tolist()), given_.counts.tolist(), strict=True):
        assert abs(got.pop(cell, 0) - n * count / len(target)) < 1
    assert not got
    if n % len(target) == 0:
        assert variation(wanted, given_) == pytest.approx(0)


def test_the_largest_remainders_get_the_rest() -> None:
    target = histogram([(2, 1, 5), (3, 1, 3), (4, 1, 1), (4, 2, 1)])
    assert allot(target, 4).rows() == [[2, 1, 2], [3, 1, 1], [4, 1, 1]]  # 2, 1.2, .4, .4: ties go to the lower cell
    assert allot(target, 1).rows() == [[2, 1, 1]]


pools = st.lists(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 4)), min_size=1, max_size=3), min_size=1, max_size=4)


@pytest.mark.slow
@given(cells, pools, st.integers(1, 4))
def test_no_other_choice_is_nearer_to_the_allotment(target: Cells, pool: list[Cells], n: int) -> None:
    rows = [(place, *cell) for place, passage in enumerate(pool, 1) for cell in passage]
    table = np.array(rows, dtype=np.int64)
    done = assign(of(target), table[:, 0], table[:, 1:], n=n)
    size = min(n, len(pool))
    assert len(done.rows) == size
    assert len(set(table[done.rows, 0].tolist())) == size  # one per passage
    wanted = allot(of(target), size)
    best = min(
        wasserstein(of(list(choice)), wanted) or 0.0 for passages in combinations(pool, size) for choice in product(*passages)
    )
    after = of([(int(row[1]), int(row[2])) for row in table[done.rows]])
    assert (wasserstein(after, wanted) or 0.0) == pytest.approx(best, abs=1e-7)
    assert done.moved / size == pytest.approx(best, abs=1e-7)


@pytest.mark.slow
@given(cells, st.integers(1, 3))
def test_a_pool_that_allows_it_is_matched_exactly(target: Cells, times: int) -> None:
    rows = [(place, *cell) for place, cell in enumerate(target * times, 1)]  # one passage per wanted pair
    rows += [(place, 30, 20) for place in range(1, len(rows) + 40)]
    table = np.array(sorted(rows), dtype=np.int64)
    done = assign(of(target), table[:, 0], table[:, 1:], n=len(target) * times)
    after = of([(int(row[1]), int(row[2])) for row in table[done.rows]])
    before = of([(int(row[1]), int(row[2])) for row in table])
    assert done.moved == 0
    for axis in (0, 1, None):
        assert variation(after, of(target), axis) == pytest.approx(0)
        assert variation(after, of(target), axis) <= variation(before, of(target), axis)
        assert (wasserstein(after, of(target), axis) or 0) <= (wasserstein(before, of(target), axis) or 0) + 1e-9


def test_an_empty_pool_gives_nothing() -> None:
    empty = np.zeros((0, 3), dtype=np.int64)
    assert len(assign(of([(1, 1)]), empty[:, 0], empty[:, 1:], n=3).rows) == 0
