"""Paired tests on differences by query, for many pairs of runs at once.

``differences`` is float[queries, pairs]: the run's value minus the other run's, rounded so that equal values give 0; NaN where the
query is missing for the pair. Each test returns two-sided p as float[pairs], NaN where there are too few queries to test.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stcollection.cancellation import check_cancelled

Floats = npt.NDArray[np.float64]

_ROWS = 1024  # resamples per block; a block fits the cache
_MEANS = 1 << 24  # resampled means in memory at once: 128 MB
_SLACK = 1e-12  # share of the sum of absolute differences; sums closer than this differ only by rounding


class PairedSummary(NamedTuple):
    """Per pair, float[pairs]: number of queries, mean and standard deviation (n − 1) of the differences."""

    n: Floats
    mean: Floats
    sd: Floats


def summarise(differences: Floats) -> PairedSummary:
    """Summarise differences.

    The mean of no values and the standard deviation of fewer than two are NaN; the latter is exactly 0 if all differences are
    equal.
    """
    n = np.count_nonzero(~np.isnan(differences), axis=0).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(differences, axis=0) / n
        square = np.nansum((differences - mean) ** 2, axis=0)
        sd = np.sqrt(square / np.where(n > 1, n - 1, np.nan))
    largest = np.max(np.abs(np.nan_to_num(differences)), axis=0, initial=0.0)
    return PairedSummary(n, mean, np.where(sd <= 1e-11 * largest, 0.0, sd))


def effect_sizes(summary: PairedSummary) -> tuple[Floats, Floats]:
    """Return Cohen's d of the paired differences (mean / sd), and Hedges' g, which corrects its bias in small samples.

    Both are 0 if all differences are 0; NaN if they are equal but not 0, or if there are fewer than two.
    """
    special: Any = importlib.import_module("scipy.special")
    with np.errstate(invalid="ignore", divide="ignore"):
        d = np.where(summary.sd > 0, summary.mean / summary.sd, np.where(summary.mean == 0, 0.0, np.nan) + 0 * summary.sd)
        half = np.where(summary.n > 2, (summary.n - 1) / 2, np.nan)
        return d, d * np.exp(special.gammaln(half) - special.gammaln(half - 0.5)) / np.sqrt(half)


def t_test(differences: Floats) -> Floats:
    """Run the paired t-test, as scipy.stats.ttest_rel; p is 1 if all differences are 0, and 0 if they are equal but not 0."""
    special: Any = importlib.import_module("scipy.special")
    n, mean, sd = summarise(differences)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(sd > 0, mean / sd * np.sqrt(n), np.where(mean == 0, 0.0, np.inf))
        p = 2 * special.stdtr(n - 1, -np.abs(t))
    return np.where(n > 1, p, np.nan)


def t_interval(differences: Floats, *, alpha: float) -> tuple[Floats, Floats]:
    """Return Student's t interval of the mean difference with confidence 1 − alpha; NaN for fewer than two queries."""
    special: Any = importlib.import_module("scipy.special")
    n, mean, sd = summarise(differences)
    with np.errstate(invalid="ignore", divide="ignore"):
        half = special.stdtrit(np.where(n > 1, n - 1, np.nan), 1 - alpha / 2) * sd / np.sqrt(n)
    return mean - half, mean + half


def wilcoxon(differences: Floats) -> Floats:
    """Run the signed-rank test, as scipy.stats.wilcoxon: differences of 0 are dropped; p is 1 if all are 0."""
    stats: Any = importlib.import_module("scipy.stats")  # imported on demand: loading takes a second
    p = np.full(differences.shape[1], np.nan)
    for pair, column in enumerate(differences.T):
        values = column[~np.isnan(column)]
        moved = values[values != 0]
        if len(values) > 1:
            p[pair] = stats.wilcoxon(moved).pvalue if len(moved) else 1.0
    return p


def randomisation(differences: Floats, *, permutations: int, seed: int) -> Floats:
    """Run Fisher's randomisation test: how often is the mean difference as large if the two values of each query are swapped at
    random?

    The test is exact, over all 2ⁿ assignments, if that is at most ``permutations`` (n counts the differences that are not 0; the
    others have no effect). Otherwise it samples that many assignments, the same for all pairs, and p = (count + 1) /
    (permutations + 1). Equal to scipy.stats.permutation_test with ``permutation_type="samples"``.
    """
    moves = np.nan_to_num(differences)
    bound = np.abs(moves.sum(axis=0)) - _SLACK * np.abs(moves).sum(axis=0)
    size = np.count_nonzero(moves, axis=0)
    exact = size <= np.floor(np.log2(permutations))
    p = np.full(moves.shape[1], np.nan)
    for pair in np.flatnonzero(exact):
        sums = np.zeros(1)
        for move in moves[moves[:, pair] != 0, pair]:
            sums = np.concatenate([sums + move, sums - move])
        p[pair] = np.mean(np.abs(sums) >= bound[pair])
    rest, reached = moves[:, ~exact], np.zeros(int(np.count_nonzero(~exact)), dtype=np.int64)
    if rest.shape[1]:
        generator = np.random.default_rng(seed)
        for start in range(0, permutations, _ROWS):
            check_cancelled()
            rows = min(_ROWS, permutations - start)
            bits = np.unpackbits(np.frombuffer(generator.bytes(-(-rows * len(rest) // 8)), np.uint8), count=rows * len(rest))
            sums = (bits.reshape(rows, -1) * 2.0 - 1.0) @ rest
            reached += np.count_nonzero(np.abs(sums, out=sums) >= bound[~exact], axis=0)
        p[~exact] = (reached + 1) / (permutations + 1)
    p[np.isnan(differences).all(axis=0)] = np.nan
    return p


def bootstrap(differences: Floats, *, resamples: int, seed: int, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Return p by the shift method, and the BCa interval of the mean difference (Efron & Tibshirani, 1993, chapters 14 and 16).

    Queries are drawn with replacement; all pairs with the same queries use the same draws. p = (count + 1) / (resamples + 1), where
    count is the number of draws whose mean is at least as far from the observed mean as that is from 0. NaN for fewer than two
    queries.

    :returns: p, lower and upper end of the interval; the interval equals that of scipy.stats.bootstrap.
    """
    p, low, high = (np.full(differences.shape[1], np.nan) for _ in range(3))
    alike: dict[bytes, list[int]] = defaultdict(list)
    for pair, mask in enumerate(~np.isnan(differences.T)):
        alike[mask.tobytes()].append(pair)
    for pairs in alike.values():
        sample = differences[~np.isnan(differences[:, pairs[0]])]
        if len(sample) < 2:
            continue
        many = max(1, _MEANS // resamples)
        for first in range(0, len(pairs), many):
            block = pairs[first : first + many]
            means = resampled(sample[:, block], resamples, seed)
            for column, pair in enumerate(block):
                p[pair], low[pair], high[pair] = _shift_and_bca(sample[:, pair], means[column], alpha)
    return p, low, high


def resampled(sample: Floats, resamples: int, seed: int) -> Floats:
    """Return the means of bootstrap samples of the queries: float[columns, resamples].

    :param sample: float[queries, columns].
    """
    n, generator = len(sample), np.random.default_rng(seed)
    means = np.empty((sample.shape[1], resamples))  # rows are pairs, because they are read pair by pair
    for start in range(0, resamples, _ROWS):
        check_cancelled()
        rows = min(_ROWS, resamples - start)
        drawn = generator.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        means[:, start : start + rows] = (counts.astype(np.float64) @ sample).T / n
    return means


def _shift_and_bca(sample: Floats, means: Floats, alpha: float) -> tuple[float, float, float]:
    special: Any = importlib.import_module("scipy.special")
    mean = float(sample.mean())
    if np.ptp(sample) <= 1e-11 * np.abs(sample).max():  # all values are equal: resampling changes nothing
        return (1.0 if mean == 0 else 1 / (len(means) + 1)), mean, mean
    slack = _SLACK * float(np.abs(sample).mean())
    p = (np.count_nonzero(np.abs(means - mean) >= abs(mean) - slack) + 1) / (len(means) + 1)
    share = (np.count_nonzero(means < mean - slack) + np.count_nonzero(means <= mean + slack)) / (2 * len(means))
    bias = special.ndtri(share)
    pulls = (sample.sum() - sample) / (len(sample) - 1)
    pulls = pulls.mean() - pulls
    acceleration = (pulls**3).sum() / (6 * (pulls**2).sum() ** 1.5)
    ends = bias + special.ndtri([alpha / 2, 1 - alpha / 2])
    low, high = np.quantile(means, special.ndtr(bias + ends / (1 - acceleration * ends)))
    return float(p), float(low), float(high)


def honest_difference(values: Floats, *, permutations: int, seed: int) -> Floats:
    """Run the randomised Tukey HSD test of all pairs of runs, with p corrected for their number (Carterette, ACM TOIS 30(1), 2012).

    The values of each query are permuted among all runs at random. The p of a pair is the share of permutations in which the best
    and worst mean differ by at least as much as the two runs, (count + 1) / (permutations + 1).

    :param values: float[queries, runs], none missing.
    :returns: float[runs, runs], symmetric.
    """
    generator = np.random.default_rng(seed)
    means = values.mean(axis=0)
    slack = _SLACK * float(np.abs(values).mean(axis=0).max(initial=0.0))
    spans = np.empty(permutations)
    rows = max(1, (1 << 19) // max(1, values.size))
    for start in range(0, permutations, rows):
        check_cancelled()
        many = min(rows, permutations - start)
        drawn = generator.permuted(np.broadcast_to(values, (many, *values.shape)), axis=2).mean(axis=1)
        spans[start : start + many] = np.ptp(drawn, axis=1)
    spans.sort()
    reached = permutations - np.searchsorted(spans, np.abs(means[:, None] - means) - slack, side="left")
    return np.asarray((reached + 1) / (permutations + 1), dtype=np.float64)
