"""Character TF-IDF of each query over its own documents: the published baseline, for all queries at once.

Equal to separating the characters of each text by blanks, fitting scikit-learn's
``TfidfVectorizer(token_pattern=r"(?u)\\b\\w+\\b")`` on ``[query, *documents]`` for each query, and taking the cosine of each
document with the query:

    tf  = number of occurrences of the character in the lower-cased text; only letters, digits and the underscore count
    idf = ln((1 + n) / (1 + df)) + 1, for n texts (including the query), df of which contain the character
    cosine of tf · idf of the document with tf · idf of the query; 0 for a text without such a character
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_NO_WORD = re.compile(r"\W+")
_AT_ONCE = 4_000_000  # characters per batch; sorting needs about 50 bytes each


class QueryWithTexts(NamedTuple):
    """A query and the texts of its documents."""

    query: str
    texts: Sequence[str]


def cosines(queries: Sequence[QueryWithTexts]) -> Floats:
    """Return the cosines: float64[all documents], query by query in order, each in [0, 1]."""
    parts: list[Floats] = []
    batch: list[QueryWithTexts] = []
    size = 0
    for query in queries:
        batch.append(query)
        size += len(query.query) + sum(map(len, query.texts))
        if size >= _AT_ONCE:
            parts.append(_cosines(batch))
            batch, size = [], 0
    if batch:
        parts.append(_cosines(batch))
    return np.concatenate(parts) if parts else np.zeros(0)


def _characters(text: str) -> str:
    """Return the characters that count, in order.

    Blanks are inserted before lower-casing, because the lower case of a letter can depend on its neighbours (final Σ becomes ς).
    """
    return _NO_WORD.sub("", " ".join(text).lower())


def _cosines(queries: Sequence[QueryWithTexts]) -> Floats:
    texts = [_characters(text) for query in queries for text in (query.query, *query.texts)]
    sizes = np.array([1 + len(query.texts) for query in queries])
    query_rows = np.cumsum(sizes) - sizes
    group = np.repeat(np.arange(len(queries)), sizes)  # the query of each text
    characters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)
    rows = np.repeat(np.arange(len(texts)), np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    # A code point has 21 bits. Each entry is a character of a text, in text order.
    entries, counts = np.unique(rows << 21 | characters, return_counts=True)
    row, character = entries >> 21, entries & 0x1FFFFF
    terms, term = np.unique(group[row] << 21 | character, return_inverse=True)
    df = np.bincount(term, minlength=len(terms))
    idf = np.log((1 + sizes[terms >> 21]) / (1 + df)) + 1
    weight = counts * idf[term]
    norm = np.sqrt(np.bincount(row, weight**2, minlength=len(texts)))
    query_weight = np.zeros(len(terms))
    of_query = row == query_rows[group[row]]
    query_weight[term[of_query]] = weight[of_query]
    product = np.bincount(row, weight * query_weight[term], minlength=len(texts))
    length = norm * norm[query_rows[group]]
    cosine = np.divide(product, length, out=np.zeros(len(texts)), where=length > 0)
    is_document = np.ones(len(texts), dtype=bool)
    is_document[query_rows] = False
    values: Floats = cosine[is_document]
    return values
