"""Corrections of p-values for multiple tests. NaN means that there was no test: it is kept, and is not counted."""

from __future__ import annotations

import importlib

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def holm(p: npt.ArrayLike) -> Floats:
    """Adjust p-values so that the chance of one or more false findings in the family stays below alpha.

    Holm, Scand. J. Statist. 6, 1979. Implemented here because scipy has no Holm correction and leaderboards do not require
    statsmodels (an extra). The tests compare it with statsmodels.

    :param p: float[tests]; NaN where there was no test.
    :returns: float[tests] in the order of p: the running maximum of (m − i + 1) p₍ᵢ₎, at most 1; statsmodels' ``holm``.
    """
    corrected = np.array(p, dtype=np.float64)
    order = np.argsort(corrected, kind="stable")[: np.count_nonzero(~np.isnan(corrected))]  # NaN is sorted last
    corrected[order] = np.maximum.accumulate(np.minimum(1.0, np.arange(len(order), 0, -1) * corrected[order]))
    return corrected


def benjamini_hochberg(p: npt.ArrayLike) -> Floats:
    """Adjust p-values so that the expected share of false findings stays below alpha.

    Benjamini & Hochberg, JRSS B 57, 1995.

    :param p: as for :func:`holm`.
    :returns: float[tests] in the order of p, by scipy.stats.false_discovery_control; statsmodels' ``fdr_bh``.
    """
    corrected = np.array(p, dtype=np.float64)
    tested = ~np.isnan(corrected)
    if tested.any():
        corrected[tested] = importlib.import_module("scipy.stats").false_discovery_control(corrected[tested])
    return corrected


def uncorrected(p: npt.ArrayLike) -> Floats:
    """Return the p-values unchanged."""
    return np.array(p, dtype=np.float64)


CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg, "none": uncorrected}
