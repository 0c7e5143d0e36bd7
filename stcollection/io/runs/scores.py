"""Scores as they leave the collection: in the order of the ranks for every program that reads them in single precision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def single(scores: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Scores as trec_eval 9 holds them: float32[n], infinite beyond its range, 0 below it."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(scores, np.float64).astype(np.float32)


def in_order(scores: Sequence[float], docnos: Sequence[str]) -> list[float]:
    """Scores of one query, best rank first, that give these ranks again by trec_eval's rule (float32, then docno descending).

    They are the given ones wherever those do it, which a ranking of the collection guarantees; a row stored by other means whose
    score contradicts its rank gets the largest float32 below its predecessor's (or the same, where the docnos are in order).
    """
    given = single(scores)
    names = [docno.encode() for docno in docnos]
    told = list(map(float, scores))
    for place in range(1, len(given)):
        before = given[place - 1]
        best = before if names[place] < names[place - 1] else np.nextafter(before, np.float32(-np.inf))
        if given[place] > best:
            given[place] = best
            told[place] = float(best)
    return told


def to_unit(scores: Sequence[float]) -> list[float]:
    """Scores of one query, best first, mapped into [0, 1]: in order, equal ones equal, and no others equal in float32.

    Minimum to 0, maximum to 1, linear between; where that would make two scores equal, evenly spaced instead. Equal all: 1.
    """
    values = single(scores).astype(np.float64)
    falls = values[1:] < values[:-1]
    places = np.concatenate(([0], np.cumsum(falls)))
    if not places[-1]:
        return [1.0] * len(scores)
    if np.isfinite(values).all():
        mapped = (values - values[-1]) / (values[0] - values[-1])
        told = single(mapped)
        if ((told[1:] < told[:-1]) == falls).all():
            return [float(value) for value in mapped]
    return [float(value) for value in 1 - places / places[-1]]
