"""Character TF-IDF of each query over its own documents: the published baseline.

As published, the characters of each text are separated by blanks, scikit-learn's ``TfidfVectorizer`` is fitted on
``[query, *documents]`` for each query with letters, digits and the underscore as words, and documents are scored by their cosine
with the query: 0 for a text without such a character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_NO_WORD = re.compile(r"\W+")


class QueryWithTexts(NamedTuple):
    """A query and the texts of its documents."""

    query: str
    texts: Sequence[str]


def cosines(queries: Sequence[QueryWithTexts]) -> Floats:
    """Return the cosines: float64[all documents], query by query in order, each in [0, 1]."""
    return np.concatenate([np.zeros(0), *(_cosines(query) for query in queries)])


def _cosines(query: QueryWithTexts) -> Floats:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [_characters(text) for text in (query.query, *query.texts)]
    if not any(texts):
        return np.zeros(len(query.texts))
    vectors = TfidfVectorizer(analyzer=list).fit_transform(texts)
    similarity: Floats = (vectors[1:] @ vectors[0].T).toarray().ravel()
    return similarity


def _characters(text: str) -> str:
    """Return the characters that count, in order.

    Blanks are inserted before lower-casing, because the lower case of a letter can depend on its neighbours (final Σ becomes ς).
    """
    return _NO_WORD.sub("", " ".join(text).lower())
