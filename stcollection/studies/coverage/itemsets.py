"""Frequent itemsets of the abstracts: words that often occur together, by FP-growth (Han, Pei & Yin, SIGMOD 2000)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.studies.coverage.near import Words

Found = tuple[tuple[str, ...], float]  # words, support

WANTED = 20  # the default support must give at least this number of itemsets
SHOWN = 50  # maximum number of itemsets counted over the corpus
ATTRIBUTES = 60  # only the most frequent words form itemsets
BOUND = 100_000  # limit on the number of itemsets, estimated before the search
_SHARES = (0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.18, 0.16, 0.14, 0.12, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02)


def itemsets(counts: Words, *, words: int, support: float | None) -> tuple[list[Found], float, list[str]]:
    """Return itemsets of 2 to ``words`` words (1 if that is 1), sorted by support, then larger size, then alphabetically.

    :param support: minimum share of the abstracts; None: the greatest of some values that gives :data:`WANTED` itemsets.
    :returns: itemsets, the support used, and notes on omitted ones.
    :raises BadArgument: the support is so low that there may be more than :data:`BOUND` itemsets.
    """
    documents = len(counts.times)
    if support is not None:
        least = _least(support, documents)
        most = bound(counts, least, words)
        if most > BOUND:
            raise BadArgument(
                f"a support of {support:g} may give {counted(most, 'itemset')}", hint="Use a greater support, or fewer words."
            )
        rows = _grown(counts, least, words)
    else:
        rows, least = [], documents
        for share in _SHARES:
            lower = max(_least(share, documents), min(2, documents))
            if lower >= least and rows:
                continue
            if bound(counts, lower, words) > BOUND:
                break
            rows, least = _grown(counts, lower, words), lower
            if len(rows) >= WANTED:
                break
    notes = [f"only the first {SHOWN} of {counted(len(rows), 'frequent itemset')} are counted"] if len(rows) > SHOWN else []
    return rows[:SHOWN], least / documents, notes


def frequent(counts: Words, least: int, most: int) -> npt.NDArray[np.intp]:
    """Return up to ``most`` columns of words that at least ``least`` abstracts contain, most frequent first, then by index."""
    held = counts.held.sum(axis=0)
    order = np.lexsort((np.arange(len(held)), -held))
    columns: npt.NDArray[np.intp] = order[held[order] >= least][:most]
    return columns


def bound(counts: Words, least: int, words: int) -> int:
    """Return an upper bound on the number of itemsets: the sum over abstracts, divided by the ``least`` abstracts each needs."""
    held = counts.held[:, frequent(counts, least, ATTRIBUTES)].sum(axis=1)
    return sum(math.comb(int(count), size) for count in held for size in range(min(2, words), words + 1)) // least


def _least(support: float, documents: int) -> int:
    """Return the number of abstracts for a share, at least 1."""
    return max(1, math.ceil(support * documents - 1e-9))


def _grown(counts: Words, least: int, words: int) -> list[Found]:
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth

    columns = frequent(counts, least, ATTRIBUTES)
    if not len(columns):
        return []
    documents = len(counts.times)
    table = pd.DataFrame(counts.held[:, columns], columns=[counts.words[at] for at in columns])
    grown = fpgrowth(table, min_support=(least - 0.5) / documents, use_colnames=True, max_len=words)
    held = dict(zip(table.columns, table.sum(axis=0).tolist(), strict=True))
    rows = [
        (tuple(sorted(words_, key=lambda word: (-held[word], word.encode()))), float(share))
        for words_, share in zip(grown["itemsets"], grown["support"], strict=True)
        if len(words_) >= min(2, words)
    ]
    return sorted(rows, key=lambda row: (-row[1], -len(row[0]), [word.encode() for word in row[0]]))
