"""Name clusters by their most characteristic words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stcollection.text.stopwords import common_words

WORDS = 3  # words of a name
_MOST = 0.5  # share of documents above which a word is too common
_WORD = r"(?u)\b[^\W\d_]\w{2,}\b"  # from three letters or digits, the first of them a letter


def name_clusters(texts: Sequence[str], clusters: npt.NDArray[np.int64], *, words: int = WORDS) -> tuple[str, ...]:
    """Return a name for each cluster, its words separated by commas.

    A word's weight in a cluster is its frequency there times log(1 + A / f), with f its frequency in all clusters and A the mean
    number of words of a cluster (class-based TF-IDF; Grootendorst, arXiv:2203.05794, 2022). Only words of at least two documents
    count, unless there are none. Ties are sorted by word. A cluster without words is named ``cluster N``.
    """
    counted = _counted(texts)
    many = int(clusters.max()) + 1
    names: list[str] = []
    if counted is None:
        return tuple(f"cluster {number + 1}" for number in range(many))
    counts, vocabulary = counted
    totals = np.vstack([np.asarray(counts[clusters == number].sum(axis=0)).ravel() for number in range(many)])
    shares = totals / np.maximum(totals.sum(axis=1, keepdims=True), 1)
    weights = shares * np.log1p(totals.sum() / many / np.maximum(totals.sum(axis=0), 1))
    for cluster in range(many):
        best = [at for at in np.lexsort((np.arange(len(vocabulary)), -weights[cluster].round(12))) if weights[cluster, at] > 0]
        names.append(", ".join(_distinct([str(vocabulary[at]) for at in best[: 4 * words]], words)) or f"cluster {cluster + 1}")
    return tuple(names)


def _counted(texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.str_]] | None:
    """Return counts of words by document as a sparse matrix, and the words; None if there are no words."""
    from sklearn.feature_extraction.text import CountVectorizer

    for least, most in ((2, _MOST), (1, 1.0)):
        counter = CountVectorizer(stop_words=list(common_words()), token_pattern=_WORD, min_df=least, max_df=most)
        try:
            counts = counter.fit_transform(texts)
        except ValueError:  # no words remain
            continue
        return counts, counter.get_feature_names_out()
    return None


def _distinct(words: Sequence[str], most: int) -> list[str]:
    """Return the first words, without inflections of a word before: words that share all but the last letters."""
    kept: list[str] = []
    for word in words:
        if not any(word[: max(4, len(other) - 2)] == other[: max(4, len(other) - 2)] for other in kept):
            kept.append(word)
        if len(kept) == most:
            break
    return kept
