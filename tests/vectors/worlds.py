"""Vectors by hand and at random, and an encoder that needs no model, for the tests of vectors, dense retrieval and expansion."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import psycopg

from stcollection.vectors.model import Vectors
from stcollection.vectors.queries import notation
from stcollection.vectors.sparse import SparseRows

DIM = 384
SETTINGS = (
    "ivfflat.probes", "ivfflat.max_probes", "ivfflat.iterative_scan", "enable_seqscan", "enable_indexscan", "jit", "work_mem",
    "maintenance_work_mem", "search_path",
)  # fmt: skip


def vector(*values: float) -> Vectors:
    """Return a vector of DIM dimensions with these first values and zeros."""
    whole = np.zeros(DIM, dtype=np.float32)
    whole[: len(values)] = values
    return whole


def at(cosine: float, axis: int = 1) -> Vectors:
    """Return a vector of length 1 with the given cosine to ``vector(1)``."""
    whole = vector(cosine)
    whole[axis] = np.sqrt(1 - cosine**2)
    return whole


def unit(table: Vectors) -> Vectors:
    scaled: Vectors = (table / np.linalg.norm(table.astype(np.float64), axis=-1, keepdims=True)).astype(np.float32)
    return scaled


def clustered(n: int, *, seed: int, clusters: int = 40) -> Vectors:
    """Return float32[n, DIM] of length 1 in clusters, similar to text embeddings."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(clusters, DIM))
    return unit((centres[rng.integers(clusters, size=n)] + rng.normal(size=(n, DIM))).astype(np.float32))


def put_vectors(
    conn: psycopg.Connection,
    *,
    title: Mapping[int, Vectors] | None = None,
    abstract: Mapping[int, Vectors] | None = None,
    table: str = "dblp_v",
) -> None:
    """Store vectors by document with SQL; create missing documents."""
    title, abstract = title or {}, abstract or {}
    rows = [
        (doc, *(None if doc not in field else notation(field[doc]) for field in (title, abstract))) for doc in {**title, **abstract}
    ]
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}') ON CONFLICT DO NOTHING",
            [(row[0], str(row[0])) for row in rows],
        )
        with cursor.copy(f"COPY {table} (id, title_v, abstract_v) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def settings(conn: psycopg.Connection) -> dict[str, str]:
    """Return the session's values of the settings that our functions change locally."""
    conn.execute("SELECT '[1]'::vector")  # pgvector's settings exist after its library is loaded
    return {name: row[0] for name in SETTINGS if (row := conn.execute(f"SHOW {name}").fetchone())}


class SparseWords:
    """A sparse encoder with a term per word, whose weight is its number of occurrences."""

    name, short, storage, batch = "tests/sparse-words", "splade", "sparsevec", 4
    dim = 10_000
    max_tokens: int | None = None
    revision: str | None = None

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Any:
        counts = [sorted(Counter(zlib.crc32(word.encode()) % self.dim for word in text.lower().split()).items()) for text in texts]
        flat = np.array([pair for row in counts for pair in row], dtype=np.float32).reshape(-1, 2)
        starts = np.concatenate([[0], np.cumsum([len(row) for row in counts])]).astype(np.int64)
        rows = SparseRows(dim=self.dim, starts=starts, terms=flat[:, 0].astype(np.int32), weights=flat[:, 1])
        return rows.pairs() if query else rows


class BagOfWords:
    """An encoder that sums a random direction per word, so that texts with common words are near."""

    name = "tests/bag-of-words"
    max_tokens: int | None = None
    revision: str | None = None
    batch = 4

    def __init__(self, short: str = "minilm", dim: int = DIM) -> None:
        self.short = short
        self.dim = dim
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.seen += texts
        sums = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split() or [""]:
                sums[row] += np.random.default_rng(zlib.crc32(word.encode())).normal(size=self.dim)
        return unit(sums) if len(texts) else sums
