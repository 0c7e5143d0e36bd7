"""Resample confusion tables and compute agreement of each, for bootstrap intervals.

The draws use the raw stream of PCG64, which numpy guarantees to keep, and integer arithmetic only. They are therefore the same on
every machine and with every version; numpy's distributions use floating-point functions and are not guaranteed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_CHUNK = 4_000_000  # maximum number of draws in memory


def draw(bits: np.random.PCG64, rows: int, n: int) -> Ints:
    """Draw indexes in [0, n) with equal probability (up to n / 2**32): int64[rows, n]. :param n: below 2**31."""
    raw = bits.random_raw(rows * n).reshape(rows, n) >> np.uint64(32)
    return ((raw * np.uint64(n)) >> np.uint64(32)).astype(np.int64)


def resample_clusters(counts: Floats, *, resamples: int, seed: int) -> Floats:
    """Draw as many clusters as the data has, with replacement, and sum their tables.

    :param counts: float64[clusters, cells]: number of pairs of each cluster in each cell of its confusion table.
    :returns: float64[resamples, cells].
    """
    n = len(counts)
    bits = np.random.PCG64(seed)
    step = max(1, _CHUNK // n)
    parts = []
    for begin in range(0, resamples, step):
        places = draw(bits, min(step, resamples - begin), n)
        parts.append(_tally(places, n).astype(np.float64) @ counts)
    return np.concatenate(parts)


def resample_pairs(counts: Floats, *, resamples: int, seed: int) -> Floats:
    """Draw as many pairs of judgments as the data has, ignoring clusters; shapes as for :func:`resample_clusters`."""
    totals = counts.sum(axis=0).astype(np.int64)
    cell = np.repeat(np.arange(len(totals)), totals)
    bits = np.random.PCG64(seed)
    step = max(1, _CHUNK // len(cell))
    parts = []
    for begin in range(0, resamples, step):
        places = draw(bits, min(step, resamples - begin), len(cell))
        parts.append(_tally(cell[places], len(totals)))
    return np.concatenate(parts).astype(np.float64)


def _tally(places: Ints, n: int) -> Ints:
    """Count how often each of n indexes occurs in each row: int64[rows, n]."""
    rows = len(places)
    return np.bincount((places + n * np.arange(rows)[:, None]).ravel(), minlength=rows * n).reshape(rows, n)


def estimates(counts: Floats, x: Ints, y: Ints, *, binary_from: int) -> dict[str, Floats]:
    """Compute the measures of sql/qrels/agreement.sql for many confusion tables: by name float64[tables], NaN if undefined.

    :param counts: float64[tables, cells]. :param x, y: int64[cells], grades of the reference and of the other side in each cell.
    """
    grades, places = np.unique(np.concatenate([x, y]), return_inverse=True)
    row, column = places[: len(x)], places[len(x) :]
    at_row, at_column = np.eye(len(grades))[row], np.eye(len(grades))[column]
    rows, columns = counts @ at_row, counts @ at_column
    relevant = grades >= binary_from
    distance = (grades[:, None] - grades[None, :]).astype(np.float64)
    plain, binary = (distance != 0).astype(np.float64), (relevant[:, None] != relevant[None, :]).astype(np.float64)
    n = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):

        def kappa(weights: Floats) -> Floats:
            chance = np.einsum("bi,ij,bj->b", rows, weights, columns, optimize=True)
            value: Floats = 1 - n * (counts @ weights[row, column]) / _positive(chance)
            return value

        def alpha(seen: Floats, apart: Floats) -> Floats:
            value: Floats = 1 - (2 * n - 1) * 2 * seen / _positive(apart)
            return value

        both = rows + columns
        at = np.cumsum(both, axis=1) - both / 2 - n[:, None]  # position of each grade on the ordinal scale, with mean 0
        spread = 4 * n * (both * at**2).sum(axis=1)
        return {
            "accuracy": counts @ (x == y) / n,
            "binary_accuracy": counts @ (1 - binary[row, column]) / n,
            "kappa": kappa(plain),
            "kappa_linear": kappa(np.abs(distance)),
            "kappa_quadratic": kappa(distance**2),
            "binary_kappa": kappa(binary),
            "alpha_nominal": alpha(counts @ plain[row, column], np.einsum("bi,ij,bj->b", both, plain, both, optimize=True)),
            "alpha_ordinal": alpha((counts * (at[:, row] - at[:, column]) ** 2).sum(axis=1), spread),
            "alpha_interval": alpha(
                counts @ distance[row, column] ** 2, np.einsum("bi,ij,bj->b", both, distance**2, both, optimize=True)
            ),
            "tau": _tau(counts, x, y, rows, columns),
            "rho": _rho(counts, row, column, rows, columns),
            "mae": counts @ np.abs(x - y) / n,
            "bias": counts @ (y - x) / n,
        }


def _positive(values: Floats) -> Floats:
    return np.where(values > 0, values, np.nan)


def _tau(counts: Floats, x: Ints, y: Ints, rows: Floats, columns: Floats) -> Floats:
    order = np.sign(x[:, None] - x[None, :]) * np.sign(y[:, None] - y[None, :])
    concordance = ((counts @ order.astype(np.float64)) * counts).sum(axis=1)
    n = counts.sum(axis=1) ** 2
    apart_x, apart_y = n - (rows**2).sum(axis=1), n - (columns**2).sum(axis=1)
    value: Floats = concordance / np.sqrt(_positive(apart_x * apart_y))
    return value


def _rho(counts: Floats, row: Ints, column: Ints, rows: Floats, columns: Floats) -> Floats:
    middle = counts.sum(axis=1, keepdims=True) / 2
    ranks = np.cumsum(rows, axis=1) - rows / 2 - middle
    other = np.cumsum(columns, axis=1) - columns / 2 - middle
    together = (counts * ranks[:, row] * other[:, column]).sum(axis=1)
    spread = np.sqrt(_positive((rows * ranks**2).sum(axis=1) * (columns * other**2).sum(axis=1)))
    value: Floats = together / spread
    return value
