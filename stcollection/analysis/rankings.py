"""Rank correlations of systems, for many pairs of rankings at once.

``x`` and ``y`` are float[systems, rankings]: scores, larger is better; each column of x is compared with the same column of y.
Scores that differ by less than 1e-12 are ties. Results are float[rankings], NaN where undefined.
"""

from __future__ import annotations

import numpy as np

from stcollection.analysis.paired import Floats

_CELLS = 1 << 22  # pairs of systems × rankings processed at once: 32 MB


def kendall_tau(x: Floats, y: Floats) -> Floats:
    """Compute Kendall's tau-b, as scipy.stats.kendalltau and sql/analysis/kendall_tau.sql; NaN if a ranking has only ties."""
    x, y = np.round(x, 12), np.round(y, 12)
    left, right = np.triu_indices(len(x), 1)
    tau = np.full(x.shape[1], np.nan)
    step = max(1, _CELLS // max(1, len(left)))
    for first in range(0, x.shape[1], step):
        block = slice(first, first + step)
        of_x, of_y = (np.sign(side[left, block] - side[right, block]) for side in (x, y))
        agreed = np.einsum("pr,pr->r", of_x, of_y)
        untied = np.sqrt(np.count_nonzero(of_x, axis=0) * np.count_nonzero(of_y, axis=0).astype(np.float64))
        np.divide(agreed, untied, out=tau[block], where=untied > 0)
    return tau


def tau_ap(truth: Floats, estimate: Floats) -> Floats:
    """Compute the AP rank correlation of estimates with the truth, ties as in sql/analysis/tau_ap.sql; NaN if one has only ties."""
    truth, estimate = np.round(truth, 12), np.round(estimate, 12)
    systems = len(truth)
    tau = np.full(truth.shape[1], np.nan)
    step = max(1, _CELLS // max(1, systems**2))
    for first in range(0, truth.shape[1], step):
        true, rated = truth[:, first : first + step], estimate[:, first : first + step]
        higher = rated[None] > rated[:, None]  # [system, other, ranking]: the other is ranked above
        above = higher.sum(axis=1)
        better = (higher & (true[None] > true[:, None])).sum(axis=1)
        share = np.divide(better, above, out=np.zeros(above.shape), where=above > 0)
        below = np.count_nonzero(above, axis=0)
        apart = (below > 0) & (true.max(axis=0, initial=-np.inf) > true.min(axis=0, initial=np.inf))
        np.divide(2 * share.sum(axis=0), below, out=tau[first : first + step], where=apart)
    return tau - 1


def pearson(x: Floats, y: Floats) -> Floats:
    """Compute Pearson's correlation of the scores; NaN if all scores of one side are equal."""
    x, y = (side - side.mean(axis=0) for side in (x, y))
    size = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    r = np.full(x.shape[1], np.nan)
    np.divide((x * y).sum(axis=0), size, out=r, where=size > 1e-15)
    return r


def ranks(scores: Floats) -> Floats:
    """Return the ranks of float[systems]: 1 + number of systems that score higher."""
    scores = np.round(scores, 12)
    higher: Floats = (scores[None] > scores[:, None]).sum(axis=1, dtype=np.float64)
    return 1 + higher
