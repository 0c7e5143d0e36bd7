"""Draws of queries that SQL and Python share: a seed gives the same resamples in both (sql/analysis/tied_pairs.sql).

Draw i of resample b is query floor(h · n / 2^32). h is the upper half of PostgreSQL's
``hashint8extended(hashint4extended(i, seed · 2^32 + b), 0)``, and i and b count from 1. Both functions are lookup3 for one 32-bit
word (Jenkins 2006, burtleburtle.net/bob/c/lookup3.c), with the seed mixed in. One is not enough: the draws of a resample would be
correlated. PostgreSQL distributes rows to partitions by these functions, so they stay the same in later versions.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stcollection.analysis.paired import Floats

Words = npt.NDArray[np.uint32]

MOST_SEED = 2**31 - 1
_START = np.uint32((0x9E3779B9 + 4 + 3923095) & 0xFFFFFFFF)  # lookup3's constant, the length in bytes, PostgreSQL's constant
_MIX = (4, 6, 8, 16, 19, 4)  # rotations that mix the seed
_FINAL = (14, 11, 25, 16, 4, 14, 24)  # rotations that mix the word


def query_counts(queries: int, resamples: range, seed: int) -> Floats:
    """Return how often each resample draws each query: float[resamples, queries]; each row sums to ``queries``.

    :param resamples: numbers of the resamples, from 1. :param seed: 0 to MOST_SEED.
    """
    many = len(resamples)
    numbers = np.arange(resamples.start, resamples.stop, dtype=np.uint32)[:, None]
    upper, lower = _hashed(np.arange(1, queries + 1, dtype=np.uint32), _mixed(numbers, seed))
    folded = lower ^ np.where(upper >> np.uint32(31), ~upper, upper)
    upper, _ = _hashed(folded, (_START, _START, _START))
    drawn = (upper.astype(np.uint64) * np.uint64(queries) >> np.uint64(32)).astype(np.int64)
    drawn += np.arange(many)[:, None] * queries
    return np.bincount(drawn.ravel(), minlength=many * queries).reshape(many, queries).astype(np.float64)


def _mixed(numbers: Words, seed: int) -> tuple[Words, Words, Words]:
    """Return the state of the hash after mixing ``seed · 2^32 + number``."""
    state = [np.full_like(numbers, _START) + np.uint32(seed), _START + numbers, np.full_like(numbers, _START)]
    for turn, bits in enumerate(_MIX):
        one, added, moved = turn % 3, (turn + 1) % 3, (turn + 2) % 3
        state[one] = (state[one] - state[moved]) ^ _rotated(state[moved], bits)
        state[moved] = state[moved] + state[added]
    return state[0], state[1], state[2]


def _hashed(words: Words, state: tuple[Words | np.uint32, Words | np.uint32, Words | np.uint32]) -> tuple[Words, Words]:
    """Return the upper and the lower half of the hash of each word."""
    zero = np.zeros_like(words)
    parts = [words + state[0], zero + state[1], zero + state[2]]
    for turn, bits in enumerate(_FINAL):
        one, other = (turn + 2) % 3, (turn + 1) % 3
        parts[one] = (parts[one] ^ parts[other]) - _rotated(parts[other], bits)
    return parts[1], parts[2]


def _rotated(words: Words, bits: int) -> Words:
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))
