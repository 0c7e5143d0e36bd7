"""Intervals of ranks: simultaneous tests of all pairs of runs, from one bootstrap over queries.

Mogstad, Romano, Shaikh & Wilhelm (Review of Economic Studies 91, 2024, "Inference for Ranks") compute intervals of all differences
that hold together with confidence 1 − alpha. A run's rank then lies between 1 + the number of runs that are better for certain, and
the number of runs minus the number that are worse for certain. These intervals are valid whether or not runs tie. Percentiles of
resampled ranks are not: near ties they miss the true rank too often.

The critical value is the 1 − alpha quantile of the largest |t| of all pairs over the resamples, as in the studentised bootstrap of
Romano & Wolf (Econometrica 73, 2005). The standard errors are those of the sample, so that pairs that differ on few queries cannot
divide by 0. To allow for the estimated standard errors, quantiles of the bootstrap, which are normal for many queries, are
converted to those of Student's t by their tail probability. That is not enough for fewer than 25 queries: there the tail of a pair
is at most alpha / number of pairs, as in a t-test with Bonferroni's correction.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from stcollection.analysis import paired
from stcollection.analysis.paired import Floats

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

ENOUGH = 25  # queries


@dataclass(frozen=True, kw_only=True)
class AllPairs:
    """All pairs of runs, each as float[pairs], in the order of ``numpy.triu_indices``.

    :param first, other: indexes of the runs of each pair.
    :param summary: mean and standard deviation of ``first`` minus ``other`` by query.
    :param low, high: interval of the mean difference; all intervals hold together with confidence 1 − alpha.
    :param p: corrected for all pairs; below alpha if and only if the interval excludes 0, except for rounding.
    :param beats: share of resamples in which the mean of ``first`` is higher; equal means count half.
    :param critical: critical value of |t|.
    """

    first: Integers
    other: Integers
    summary: paired.PairedSummary
    low: Floats
    high: Floats
    p: Floats
    beats: Floats
    critical: float

    def separated(self, runs: int, alpha: float) -> Booleans:
        """Return bool[runs, runs]: whether the run of the row is significantly better than the run of the column."""
        above, separate = np.zeros((runs, runs), dtype=np.bool_), self.p < alpha
        above[self.first, self.other] = separate & (self.summary.mean > 0)
        above[self.other, self.first] = separate & (self.summary.mean < 0)
        return above


def all_pairs(values: Floats, *, resamples: int, seed: int, alpha: float) -> AllPairs:
    """Test all pairs of runs together.

    :param values: float[queries, runs], none missing, at least two queries and two runs.
    """
    special: Any = importlib.import_module("scipy.special")
    queries, runs = values.shape
    first, other = np.triu_indices(runs, 1)
    summary = paired.summarise(np.round(values[:, first] - values[:, other], 12))
    error = summary.sd / np.sqrt(queries)
    largest, beats = _resampled(values, summary.mean, error, resamples=resamples, seed=seed)
    tail = float(special.ndtr(-np.quantile(largest, 1 - alpha)))
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(error > 0, np.abs(summary.mean) / error, np.where(summary.mean == 0, 0.0, np.inf))
    tails = special.stdtr(queries - 1, -t)
    reached = resamples - np.searchsorted(np.sort(largest), -special.ndtri(tails), side="left")
    p = np.where(t == 0, 1.0, (reached + 1) / (resamples + 1))
    if queries < ENOUGH:
        tail = min(tail, alpha / max(1, len(t)) / 2)
        p = np.maximum(p, np.minimum(1.0, 2 * len(t) * tails))
    critical = float(-special.stdtrit(queries - 1, tail))
    half = critical * error
    return AllPairs(
        first=first,
        other=other,
        summary=summary,
        low=summary.mean - half,
        high=summary.mean + half,
        p=p,
        beats=beats,
        critical=critical,
    )


def _resampled(values: Floats, mean: Floats, error: Floats, *, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Return the largest |t| of each resample about the observed means, and the share of resamples that each pair's first wins."""
    queries, runs = values.shape
    drawn = paired.resampled(values - values.mean(axis=0), resamples, seed)  # how far the mean of each run moves
    scale = np.sqrt(queries / (queries - 1))  # a resample has the variance of the sample, not its unbiased estimate
    with np.errstate(divide="ignore"):
        weight = np.where(error > 0, scale / error, 0.0)
    largest, beats, start = np.zeros(resamples), np.empty(len(mean)), 0
    for run in range(runs - 1):
        many = slice(start, start + runs - run - 1)
        moves = drawn[run] - drawn[run + 1 :]
        moves[error[many] == 0] = 0.0  # only rounding
        shift, slack = mean[many, None], 1e-12
        above = np.count_nonzero(moves > slack - shift, axis=1)
        beats[many] = (above + np.count_nonzero(moves >= -slack - shift, axis=1)) / (2 * resamples)
        np.abs(moves, out=moves)
        moves *= weight[many, None]
        np.maximum(largest, moves.max(axis=0), out=largest)
        start = many.stop
    return largest, beats


def rank_bounds(beats: Booleans) -> tuple[Integers, Integers]:
    """Return the first and last rank of each run that the tests of all pairs allow: int[runs] each.

    :param beats: bool[runs, runs]; whether the run of the row is significantly better than the run of the column.
    """
    return 1 + np.count_nonzero(beats, axis=0), len(beats) - np.count_nonzero(beats, axis=1)


def queries_needed(effect: Floats, *, level: float, power: float) -> Floats:
    """Return the number of queries for which a paired t-test finds a difference with the given probability.

    Guenther (The American Statistician 35, 1981): n = ((z₁ + z₂) / d)² + z₁² / 2, with z₁ the quantile at 1 − level / 2 and z₂ at
    power. Sakai (Information Retrieval Journal 19, 2016) uses power analysis for the size of topic sets.

    :param effect: Cohen's d of the paired differences. :returns: whole numbers, at least 2; infinite for an effect of 0.
    """
    special: Any = importlib.import_module("scipy.special")
    first, second = special.ndtri(1 - level / 2), special.ndtri(power)
    with np.errstate(divide="ignore"):
        n = ((first + second) / np.abs(effect)) ** 2 + first**2 / 2
    return np.asarray(np.maximum(2.0, np.ceil(n)), dtype=np.float64)
