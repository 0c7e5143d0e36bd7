"""Histograms of (query length, query words found): cell shares, distances, and the allotment of n pairs to a target.

- Total variation distance: half the sum of |p - q| over the cells, in [0, 1].
- Wasserstein-1, or earth mover's, distance: the minimum sum of share times distance that turns one into the other, in words. For a
  marginal it is the area between the two cumulative distributions. For the joint distribution the distance is |Δlength| + |Δfound|,
  and the minimum is that of a flow between neighbours on the grid (Ling & Okada, IEEE TPAMI 29(5), 2007). The joint distance is
  then never below the sum of the two marginal ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
GRID = 10_000  # cells; the joint distance is not computed on a larger grid


class Histogram(NamedTuple):
    """Number of pairs per cell.

    :param cells: int64[cells, 2], length and found, in lexical order, each once.
    :param counts: int64[cells], 1 or more.
    """

    cells: Ints
    counts: Ints

    @property
    def pairs(self) -> int:
        return int(self.counts.sum())

    def marginal(self, axis: int) -> tuple[Ints, Ints]:
        """Return values in ascending order, and the number of pairs with each. :param axis: 0 is length, 1 found."""
        values, places = np.unique(self.cells[:, axis], return_inverse=True)
        return values, np.bincount(places, weights=self.counts, minlength=len(values)).astype(np.int64)

    def mean(self, axis: int) -> float:
        """Return the mean; NaN for an empty histogram."""
        return float(self.cells[:, axis] @ self.counts / self.pairs) if self.pairs else float("nan")

    def rows(self) -> list[list[int]]:
        """Return rows [length, found, pairs], as stored in JSON."""
        return [[*map(int, cell), int(count)] for cell, count in zip(self.cells, self.counts, strict=True)]


def histogram(rows: Iterable[Sequence[int]]) -> Histogram:
    """Build a histogram from rows (length, found, pairs), in any order; cells may repeat."""
    table = np.array(list(rows), dtype=np.int64).reshape(-1, 3)
    table = table[table[:, 2] > 0]
    cells, places = np.unique(table[:, :2], axis=0, return_inverse=True)
    counts = np.zeros(len(cells), dtype=np.int64)
    np.add.at(counts, places.ravel(), table[:, 2])
    return Histogram(cells, counts)


def allot(target: Histogram, n: int) -> Histogram:
    """Allot n pairs in proportion to a target, by largest remainder; ties go to the fuller cell, then to the lower one.

    Each cell gets the integer part of its share of n; the rest goes to the largest remainders, one each (Hamilton's method).
    Cells are never binned: in a sparse target most cells get one pair or none.
    """
    shares = n * target.counts
    whole, remainder = np.divmod(shares, target.pairs)
    order = np.lexsort((np.arange(len(shares)), -target.counts, -remainder))
    whole[order[: n - int(whole.sum())]] += 1
    return Histogram(target.cells[whole > 0], whole[whole > 0])


def variation(a: Histogram, b: Histogram, axis: int | None = None) -> float:
    """Return the total variation distance of two marginals or, without an axis, of the joint distributions; both non-empty."""
    cells, p, q = _aligned(a, b, axis)
    return float(np.abs(p - q).sum() / 2) if len(cells) else 0.0


def wasserstein(a: Histogram, b: Histogram, axis: int | None = None) -> float | None:
    """Return the Wasserstein-1 distance, in words; None for a joint grid of more than GRID cells."""
    cells, p, q = _aligned(a, b, axis)
    if axis is None:
        return _flow(cells, p - q)
    return float(np.abs(np.cumsum(p - q))[:-1] @ np.diff(cells[:, 0]))


def _aligned(a: Histogram, b: Histogram, axis: int | None) -> tuple[Ints, Floats, Floats]:
    """Return the cells of either histogram, and the shares of both in them."""
    if axis is not None:
        (left, of_a), (right, of_b) = a.marginal(axis), b.marginal(axis)
        left, right = left[:, None], right[:, None]
    else:
        (left, of_a), (right, of_b) = a, b
    cells, places = np.unique(np.concatenate([left, right]), axis=0, return_inverse=True)
    places = places.ravel()
    p, q = np.zeros(len(cells)), np.zeros(len(cells))
    p[places[: len(left)]] = of_a / of_a.sum()
    q[places[len(left) :]] = of_b / of_b.sum()
    return cells, p, q


def _flow(cells: Ints, supply: Floats) -> float | None:
    """Return the cost of the cheapest flow on the grid of occurring values, where a step to the next value costs its distance."""
    lengths, row = np.unique(cells[:, 0], return_inverse=True)
    founds, column = np.unique(cells[:, 1], return_inverse=True)
    if len(lengths) * len(founds) > GRID:
        return None
    from scipy import sparse
    from scipy.optimize import linprog  # takes long to load

    at = np.arange(len(lengths) * len(founds)).reshape(len(lengths), len(founds))
    surplus = np.zeros(at.size)
    surplus[at[row.ravel(), column.ravel()]] = supply
    begin = np.concatenate([at[:-1].ravel(), at[:, :-1].ravel()])
    end = np.concatenate([at[1:].ravel(), at[:, 1:].ravel()])
    cost = np.concatenate([np.repeat(np.diff(lengths), len(founds)), np.tile(np.diff(founds), len(lengths))]).astype(np.float64)
    if not len(cost):
        return 0.0
    edges = np.arange(len(cost))
    ones = np.ones(len(cost))
    out = sparse.coo_matrix((np.concatenate([ones, -ones]), (np.concatenate([begin, end]), np.concatenate([edges, edges]))))
    # One equation of a connected grid follows from the others; without it, rounding cannot make them inconsistent.
    balance = sparse.hstack([out, -out]).tocsr()[:-1]
    solution = linprog(np.concatenate([cost, cost]), A_eq=balance, b_eq=surplus[:-1], bounds=(0, None), method="highs")
    if solution.status != 0:
        raise ArithmeticError(f"the flow between two histograms was not found: {solution.message}")
    return max(0.0, float(solution.fun))
