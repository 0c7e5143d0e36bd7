"""Set aside generated queries that nearly repeat a stored query or an earlier generated one, by their words and embeddings.

The defaults set aside one of the 176 published queries of SimpleText 2024: bias (T13.2), near Biases (G01.2). Two long queries
share at most .40 of their words, and their cosine is at most .83 (all-MiniLM-L6-v2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import psycopg

from stcollection.db.rows import only_value
from stcollection.errors import BadArgument, StcError, translate
from stcollection.vectors.model import Encoder, Vectors
from stcollection.vectors.queries import query_vectors

_SUBTOPICS = """
SELECT id, text, stc.plain_words(text), verdict IS NULL
  FROM stc_all.synth_subtopics
 WHERE text IS NOT NULL AND query IS NULL AND coalesce(verdict, 'accepted') = 'accepted'
 ORDER BY id
"""


@dataclass(frozen=True, kw_only=True)
class Nearness:
    """From which similarity on a query is a near-duplicate of another.

    :param words: Jaccard similarity of the sets of words. :param cosine: cosine of the embeddings.
    :param words_only: do not compute embeddings.
    :raises BadArgument: a threshold outside (0, 1].
    """

    words: float = 0.6
    cosine: float = 0.85
    words_only: bool = False

    def __post_init__(self) -> None:
        for name, value in (("words", self.words), ("cosine", self.cosine)):
            if not 0 < value <= 1:
                raise BadArgument(f"the threshold of {name} is {value:g}", hint="Use a number above 0, at most 1.")


DEFAULT = Nearness()


class _Query(NamedTuple):
    """A query to compare with. :param name: None for a generated query."""

    name: str | None
    text: str
    words: frozenset[str]


def mark(conn: psycopg.Connection, nearness: Nearness = DEFAULT, *, model: str | Encoder | None = None) -> int:
    """Find the nearest query of each generated query without a review, and set near-duplicates aside.

    It is compared with all stored queries, and with earlier generated queries that are neither set aside nor rejected.

    :param model: embedding model: a short name of the collection, or a model in memory; None: the collection's default.
    :returns: the number set aside.
    :raises UnknownObject: the embedding model is not on this machine.
    """
    stored, generated = _texts(conn)
    others = list(stored)
    texts = [*(query.text for query in stored), *(text for _, text, _, _ in generated)]
    vectors = None if nearness.words_only or not generated else _vectors(conn, texts, model)
    rows: list[tuple[int, str | None, str | None, float | None, float | None, bool]] = []
    used = list(range(len(stored)))  # rows of vectors of the others
    for at, (key, text, words, open_) in enumerate(generated, len(stored)):
        near = False
        if others and open_:
            shared = np.array([_jaccard(words, other.words) for other in others])
            cosines = None if vectors is None else vectors[used] @ vectors[at]
            strength = (
                shared / nearness.words if cosines is None else np.maximum(shared / nearness.words, cosines / nearness.cosine)
            )
            best = int(strength.argmax())
            cosine = None if cosines is None else float(min(1.0, max(-1.0, cosines[best])))
            near = bool(strength[best] >= 1)
            rows.append((key, others[best].text, others[best].name, float(shared[best]), cosine, near))
        elif open_:
            rows.append((key, None, None, None, None, False))
        if not near:
            others.append(_Query(None, text, words))
            used.append(at)
    return _store(conn, rows)


def _jaccard(words: frozenset[str], other: frozenset[str]) -> float:
    return len(words & other) / len(words | other) if words or other else 0.0


@translate()
def _texts(conn: psycopg.Connection) -> tuple[list[_Query], list[tuple[int, str, frozenset[str], bool]]]:
    generated = [(key, text, frozenset(words), open_) for key, text, words, open_ in conn.execute(_SUBTOPICS)]
    if not generated:
        return [], []
    rows = conn.execute("SELECT query, text, stc.plain_words(text) FROM st1_queries WHERE text ~ '\\S' ORDER BY query").fetchall()
    return [_Query(name, text, frozenset(words)) for name, text, words in rows], generated


def _vectors(conn: psycopg.Connection, texts: list[str], model: str | Encoder | None) -> Vectors:
    """Return the vectors of texts: float32[n, dim], of length 1."""
    try:
        vectors = np.array([vector.to_numpy() for vector in query_vectors(conn, texts, model=model)], dtype=np.float32)
    except StcError as error:
        error.hint = f"{error.hint or ''} Or compare words only: --near cosine=none.".strip()
        raise
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), dtype=np.float32)


@translate()
def _store(conn: psycopg.Connection, rows: list[tuple[int, str | None, str | None, float | None, float | None, bool]]) -> int:
    columns = [[row[at] for row in rows] for at in range(6)]
    return int(
        only_value(
            conn,
            "SELECT stc.synth_mark_near(%s::bigint[], %s::text[], %s::text[], %s::float8[], %s::float8[], %s::boolean[])",
            columns,
        )
    )
