"""Queries of benchmarks with the documents of documents.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg

from benchmarks.common import data
from benchmarks.full.documents import ACM, STRIDE, Vectors, unit
from stcollection.io.topics.queries import read_queries
from stcollection.vectors.model import load

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


def topics(number: int = QUERIES) -> tuple[list[str], Vectors]:
    """Return queries of SimpleText, spread over its topics, and their vectors by the model of the abstracts."""
    texts = [one.text for one in read_queries(data() / "simpletext" / "simpletext_2024_task1_queries.csv")[1] if one.text]
    some = [texts[place] for place in np.linspace(0, len(texts) - 1, number).astype(int)]
    return some, np.asarray(load(None).encode(some, query=True), dtype=np.float32)


def query_vectors(table: Vectors, number: int = QUERIES) -> Vectors:
    """Return vectors midway between two abstracts, so that none is stored."""
    pairs = np.random.default_rng(11).choice(len(table), (number, 2), replace=False)
    return unit(table[pairs[:, 0]] + table[pairs[:, 1]])
