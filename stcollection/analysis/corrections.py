"""Corrections of p for how many tests were made. NaN is no test: it stays, and does not count."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def holm(p: npt.ArrayLike) -> Floats:
    """p that keep the chance of one false finding or more in the family below alpha (Holm, Scand. J. Statist. 6, 1979).

    :param p: float[tests]; NaN where there was no test.
    :returns: float[tests] in the order of p: the largest of (m − i + 1) p₍ᵢ₎ so far, 1 at most; statsmodels' ``holm``.
    """
    values, order, tests = _sorted(p)
    return _back(np.maximum.accumulate(np.minimum(1.0, (tests - np.arange(tests)) * values)), order, p)


def benjamini_hochberg(p: npt.ArrayLike) -> Floats:
    """p that keep the expected share of false ones among the findings below alpha (Benjamini & Hochberg, JRSS B 57, 1995).

    :param p: as for :func:`holm`.
    :returns: float[tests] in the order of p: the smallest of m p₍ᵢ₎ / i from there up, 1 at most; statsmodels' ``fdr_bh``.
    """
    values, order, tests = _sorted(p)
    raised = np.minimum(1.0, tests * values / np.arange(1, tests + 1))
    return _back(np.minimum.accumulate(raised[::-1])[::-1], order, p)


def uncorrected(p: npt.ArrayLike) -> Floats:
    """p as they are."""
    return np.array(p, dtype=np.float64)


CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg, "none": uncorrected}


def _sorted(p: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.intp], int]:
    """The p of tests, smallest first; where in p each stands; how many there are."""
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, kind="stable")[: int(np.count_nonzero(~np.isnan(given)))]  # NaN is sorted last
    return given[order], order, len(order)


def _back(corrected: Any, order: npt.NDArray[np.intp], p: npt.ArrayLike) -> Floats:
    out = np.full(np.shape(p), np.nan)
    out[order] = corrected
    return out
