"""Small and real collections for tests of text indexing and retrieval, and a reference BM25 in Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from stcollection.corpus.load import load
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.topics.load import load as load_topics

ENGINES = ("pg_textsearch", "portable")
Row = tuple[int, float, int]


@dataclass(frozen=True)
class Real:
    """A real collection in the data folder. :param read: returns query, docno and gain of a line of the qrels."""

    corpus: str
    topics: str
    qrels: str
    read: Callable[[list[str]], tuple[str, str, int]]
    ndcg: float


REAL = {
    # degrees 1 (best) to 4, -1 for not relevant
    "cranfield": Real(
        "cran.all.1400", "cran.qry", "cranqrel", lambda f: (f[0], f[1], 5 - int(f[2]) if int(f[2]) > 0 else 0), 0.360
    ),
    "npl": Real("doc-text.trec", "query-text.trec", "qrels", lambda f: (f[0], f[2], int(f[3])), 0.434),
    # no grades; ids are padded with zeros
    "cacm": Real("cacm.all", "query.text", "qrels.text", lambda f: (f[0].lstrip("0"), f[1].lstrip("0"), 1), 0.486),
}


def put(
    conn: psycopg.Connection, texts: Mapping[int, tuple[str | None, str | None]], docnos: Mapping[int, str] | None = None
) -> None:
    """Store documents by id as (title, abstract); the docno is the id unless ``docnos`` has another."""
    names = {doc: str(doc) for doc in texts} | dict(docnos or {})
    with conn.cursor() as cursor:
        cursor.executemany("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, '{}')", list(names.items()))
        cursor.executemany(
            "INSERT INTO dblp_text (id, title, abstract) VALUES (%s, %s, %s)", [(doc, *text) for doc, text in texts.items()]
        )


def put_decoys(conn: psycopg.Connection) -> None:
    """Store documents that are never retrieved: a stub and a document without text."""
    conn.execute(
        "INSERT INTO dblp (id, docno, doc, stub) VALUES (90, '90', '{}', true), (91, '91', '{\"title\": \"voice\"}', false)"
    )


@contextmanager
def clone(server: Settings, admin: psycopg.Connection, template: str, name: str) -> Iterator[psycopg.Connection]:
    """Clone a collection for a whole module of tests that only read, because cloning takes longer than the tests."""
    database = sql.Identifier(f"{template}_{name}")
    admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(database, sql.Identifier(template)))
    with open_session(conninfo(replace(server, db=f"{template}_{name}")), autocommit=True) as conn:
        yield conn
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(database))


def build(conn: psycopg.Connection, engine: str = "pg_textsearch") -> None:
    """Call index_text; skip the test if the server has no pg_textsearch."""
    if engine == "pg_textsearch" and conn.execute("SELECT stc.pg_textsearch_ready()").fetchone() != (True,):
        pytest.skip("this server has no pg_textsearch")
    conn.execute("CALL stc.index_text(engine => %s)", [engine])


def real(conn: psycopg.Connection, dsn: str, data: Path, name: str) -> None:
    """Load and index a real collection with its queries."""
    load(dsn, [str(data / name / REAL[name].corpus)])
    load_topics(conn, [data / name / REAL[name].topics])
    build(conn)


def gains(data: Path, name: str) -> dict[str, dict[str, int]]:
    """Return the judgments of a real collection by query and docno."""
    found: dict[str, dict[str, int]] = {}
    for line in (data / name / REAL[name].qrels).read_text().splitlines():
        if line.strip():
            query, docno, gain = REAL[name].read(line.split())
            found.setdefault(query, {})[docno] = gain
    return found


def found(conn: psycopg.Connection, function: str, *arguments: object) -> list[Row]:
    """Return the rows of a retrieval function."""
    return conn.execute(f"SELECT * FROM {function}({', '.join(['%s'] * len(arguments))})", arguments).fetchall()


def ids(rows: Sequence[Row]) -> list[int]:
    return [row[0] for row in rows]


def by_docno(conn: psycopg.Connection, rows: Sequence[Row]) -> list[str]:
    names: dict[int, str] = dict(conn.execute("SELECT id, docno FROM dblp").fetchall())
    return [names[row[0]] for row in rows]


def scans(conn: psycopg.Connection, index: str) -> int:
    """Return the number of scans of an index, including those of this session."""
    conn.execute("SELECT pg_stat_force_next_flush()")
    row = conn.execute(
        "SELECT coalesce(pg_stat_get_numscans(oid), 0) + coalesce(pg_stat_get_xact_numscans(oid), 0)"
        "  FROM pg_class WHERE relname = %s",
        [index],
    ).fetchone()
    assert row is not None
    return int(row[0])


def byte4(length: int) -> int:
    """Round a length like Lucene's SmallFloat (intToByte4, then byte4ToInt), by its definition on bits."""

    def to_int4(value: int) -> int:
        bits = value.bit_length()
        if bits < 4:
            return value
        shift = bits - 4
        return ((value >> shift) & 0x07) | ((shift + 1) << 3)

    def from_int4(value: int) -> int:
        shift = (value >> 3) - 1
        return value & 0x07 if shift == -1 else ((value & 0x07) | 0x08) << shift

    free = 255 - to_int4(2**31 - 1)
    return length if length < free else free + from_int4(to_int4(length - free))


def bm25(documents: Mapping[int, Sequence[str]], query: Sequence[str], k1: float = 1.2, b: float = 0.75) -> dict[int, float]:
    """Return scores above 0 by the formula in sql/retrieval/bm25_portable.sql for documents of stemmed words."""
    lengths = {doc: len(words) for doc, words in documents.items() if words}
    average = sum(lengths.values()) / len(lengths)
    scores: dict[int, float] = {}
    for word, times in Counter(query).items():
        frequency = {doc: words.count(word) for doc, words in documents.items() if word in words}
        idf = math.log(1 + (len(lengths) - len(frequency) + 0.5) / (len(frequency) + 0.5))
        for doc, tf in frequency.items():
            norm = k1 * (1 - b + b * byte4(lengths[doc]) / average)
            scores[doc] = scores.get(doc, 0.0) + times * idf * tf * (k1 + 1) / (tf + norm)
    return scores
