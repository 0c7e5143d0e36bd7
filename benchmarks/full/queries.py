"""Queries of benchmarks with the documents of documents.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg

from benchmarks.common import data
from benchmarks.full.documents import ACM, STRIDE, Vectors
from stcollection.io.topics.queries import read_queries

QUERIES = 60


def fetched(conn: psycopg.Connection, statement: str, *arguments: object) -> list[tuple[Any, ...]]:
    return conn.execute(statement.encode(), arguments, prepare=False).fetchall()


def asked(conn: psycopg.Connection, number: int = QUERIES) -> dict[str, list[str]]:
    """Return queries of title length, and of about 130 words: the citation contexts of ACM-CR."""
    titles = fetched(
        conn,
        "SELECT title FROM dblp_text WHERE id < %s AND length(title) BETWEEN 30 AND 90 ORDER BY hashint8(id) LIMIT %s",
        STRIDE,
        number,
    )
    contexts = [one.text for one in read_queries(data() / ACM / "contexts.topics", field="desc")[1]][:number]
    return {"titles": [title for (title,) in titles], "contexts": [text for text in contexts if text]}


def query_vectors(table: Vectors, number: int = QUERIES) -> Vectors:
    """Return vectors midway between two abstracts, so that none is stored."""
    pairs = np.random.default_rng(11).choice(len(table), (number, 2), replace=False)
    made = table[pairs[:, 0]] + table[pairs[:, 1]]
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)
