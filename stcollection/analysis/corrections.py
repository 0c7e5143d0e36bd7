"""Corrections of p for how many tests were made. NaN is no test: it stays, and does not count."""

from __future__ import annotations

import importlib

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def holm(p: npt.ArrayLike) -> Floats:
    """p that keep the chance of one false finding or more in the family below alpha (Holm, Scand. J. Statist. 6, 1979).

    scipy has no Holm, and statsmodels, which has, is an extra that leaderboards do without; the tests compare with it.

    :param p: float[tests]; NaN where there was no test.
    :returns: float[tests] in the order of p: the largest of (m − i + 1) p₍ᵢ₎ so far, 1 at most; statsmodels' ``holm``.
    """
    corrected = np.array(p, dtype=np.float64)
    order = np.argsort(corrected, kind="stable")[: np.count_nonzero(~np.isnan(corrected))]  # NaN is sorted last
    corrected[order] = np.maximum.accumulate(np.minimum(1.0, np.arange(len(order), 0, -1) * corrected[order]))
    return corrected


def benjamini_hochberg(p: npt.ArrayLike) -> Floats:
    """p that keep the expected share of false ones among the findings below alpha (Benjamini & Hochberg, JRSS B 57, 1995).

    :param p: as for :func:`holm`.
    :returns: float[tests] in the order of p, by scipy.stats.false_discovery_control; statsmodels' ``fdr_bh``.
    """
    corrected = np.array(p, dtype=np.float64)
    tested = ~np.isnan(corrected)
    if tested.any():
        corrected[tested] = importlib.import_module("scipy.stats").false_discovery_control(corrected[tested])
    return corrected


def uncorrected(p: npt.ArrayLike) -> Floats:
    """p as they are."""
    return np.array(p, dtype=np.float64)


CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg, "none": uncorrected}
