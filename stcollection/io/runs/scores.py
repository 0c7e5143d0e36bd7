"""Adjust exported scores so that programs with single precision derive the same ranks."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence


def single(scores: Iterable[float]) -> array[float]:
    """Return scores as float32[n], as trec_eval 9 stores them: infinite above the range of float32, 0 below it."""
    return array("f", scores)


def in_order(scores: Sequence[float], docnos: Sequence[str]) -> list[float]:
    """Return scores of one query, best rank first, that reproduce the ranks by trec_eval's rule (float32, then docno descending).

    Scores stay unchanged if they reproduce the ranks, as for rankings made by the collection. A score that contradicts its rank is
    replaced by the largest float32 below its predecessor's, or by the same value if the docnos are in order.
    """
    import numpy as np  # not at module level: runs are read and scored without it

    given = single(scores)
    names = [docno.encode() for docno in docnos]
    adjusted = list(map(float, scores))
    for place in range(1, len(given)):
        before = given[place - 1]
        best = before if names[place] < names[place - 1] else float(np.nextafter(np.float32(before), np.float32(-np.inf)))
        if given[place] > best:
            given[place] = best
            adjusted[place] = best
    return adjusted


def to_unit(scores: Sequence[float]) -> list[float]:
    """Map the scores of one query, best first, into [0, 1], keeping order and ties and creating no new ties in float32.

    The mapping is linear from minimum 0 to maximum 1. If that creates ties, scores are evenly spaced. If all are equal, they are 1.
    """
    import numpy as np

    values = np.asarray(single(scores), np.float64)
    falls = values[1:] < values[:-1]
    places = np.concatenate(([0], np.cumsum(falls)))
    if not places[-1]:
        return [1.0] * len(scores)
    if np.isfinite(values).all():
        mapped = (values - values[-1]) / (values[0] - values[-1])
        rounded = np.asarray(single(mapped))
        if ((rounded[1:] < rounded[:-1]) == falls).all():
            return [float(value) for value in mapped]
    return [float(value) for value in 1 - places / places[-1]]
