"""Abstracts with vectors, made so that nearest neighbours and words are known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import psycopg

from stcollection.vectors.model import Vectors
from stcollection.vectors.queries import notation
from tests.text.documents import build, put

DIM = 384
TEXT = "what do machines hear"
# Document n is the n-th nearest to TEXT. "the of and" are stop words; universities and universe share a stem.
THEMES = (
    "voice assistants record voices at home and listeners worry about privacy",
    "drivers trust autonomous vehicles that brake for pedestrians on the road",
    "universities teach programming with robots and students enjoy real-time games",
)


def world(
    conn: psycopg.Connection, documents: int = 30, *, texts: Mapping[int, tuple[str | None, str | None]] | None = None
) -> None:
    """Store ``documents`` abstracts of the themes in turn, with some words missing; the n-th is the n-th nearest to TEXT.

    Other documents have no vectors, and are found only by the count over the whole corpus.
    """
    made: dict[int, tuple[str | None, str | None]] = {n: (f"Paper {n}", _abstract(n)) for n in range(1, documents + 1)}
    if texts is not None:
        made = dict(texts)
    near = list(made)
    if texts is None:
        made |= {1000 + n: ("Voice in titles alone", None if n % 2 else THEMES[n % 3]) for n in range(20)}
    put(conn, made)
    if not made:
        return
    build(conn)
    for n in near:
        if made[n][1] is not None:
            conn.execute("INSERT INTO dblp_v (id, abstract_v) VALUES (%s, %s)", [n, notation(_vector(n))])
    remember(conn, TEXT)


def remember(conn: psycopg.Connection, text: str) -> None:
    """Store the vector of a text, so that no model is loaded."""
    conn.execute("SELECT stc.add_vector_model('minilm', 'sentence-transformers/all-MiniLM-L6-v2', 384, 256)")
    conn.execute(
        "INSERT INTO query_v (model, text, v) VALUES ('minilm', %s, %s) ON CONFLICT DO NOTHING",
        [text, notation(_vector(0))],
    )


def _vector(n: int) -> Vectors:
    vector = np.zeros(DIM, dtype=np.float32)
    vector[0], vector[1] = np.cos(n / 1000), np.sin(n / 1000)
    return vector


def _abstract(n: int) -> str:
    words = THEMES[n % 3].split()
    return " ".join(word for at, word in enumerate(words) if at % 5 != n % 5) + "."
