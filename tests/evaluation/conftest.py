"""Runs and judgments written directly into the tables, each with a decoy that has the opposite content."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterable, Mapping

import psycopg
import pytest

from stcollection.evaluation import learning

Run = Mapping[str, Mapping[str, float]]
Judged = Mapping[str, Mapping[str, int]]
StoreRun = Callable[..., str]
StoreQrels = Callable[..., str]

_numbers = itertools.count(1)


def single(score: float) -> float:
    """Round a score to single precision, as trec_eval 9 stores it."""
    value: float = struct.unpack("f", struct.pack("f", score))[0]
    return value


def ranked(docs: Mapping[str, float]) -> list[str]:
    """Rank by trec_eval 9's rule: score in single precision, ties by descending docno as bytes."""
    return sorted(docs, key=lambda doc: (single(docs[doc]), doc.encode()), reverse=True)


@pytest.fixture(autouse=True)
def none_added() -> None:
    """No measures of collections that other tests used."""
    learning.forget()


@pytest.fixture
def store_run(conn: psycopg.Connection) -> StoreRun:
    return run_storer(conn)


def run_storer(conn: psycopg.Connection) -> StoreRun:
    """Store a run ``{query: {docno: score}}`` and its reverse under the name with a leading ``~``; return its name."""

    def store(run: Run, name: str | None = None, *, decoy: bool = True) -> str:
        name = name or f"run{next(_numbers)}"
        _stage(conn, ((query, doc, rank) for query in run for rank, doc in enumerate(ranked(run[query]), 1)))
        for stored, rank in ((name, "number"), (f"~{name}", "1 + count(*) OVER (PARTITION BY query) - number"))[: 1 + decoy]:
            conn.execute("INSERT INTO st1_runs (run) VALUES (%s)", [stored])
            conn.execute(
                f"INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT n.id, s.query, s.doc, s.rank, -s.rank"
                f" FROM (SELECT query, doc, {rank} AS rank FROM staged) s, st1_runs n WHERE n.run = %s",
                [stored],
            )
        return name

    return store


@pytest.fixture
def store_qrels(conn: psycopg.Connection) -> StoreQrels:
    return qrels_storer(conn)


def qrels_storer(conn: psycopg.Connection) -> StoreQrels:
    """Store judgments ``{query: {docno: rel}}`` as an edition, and their opposite as another; return its name."""

    def store(qrels: Judged, name: str | None = None) -> str:
        name = name or f"edition{next(_numbers)}"
        _stage(conn, ((query, doc, rel) for query in qrels for doc, rel in qrels[query].items()))
        for stored, rel in ((name, "number"), (f"~{name}", "2 - least(number, 2)")):
            conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s)", [stored])
            conn.execute(
                f"INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, s.query, s.doc, {rel}"
                f" FROM staged s, qrels_editions e WHERE e.edition = %s",
                [stored],
            )
        return name

    return store


def _stage(conn: psycopg.Connection, rows: Iterable[tuple[str, str, int]]) -> None:
    """Put the rows into a temporary table by keys, and store their queries and documents."""
    conn.execute("DROP TABLE IF EXISTS named, staged")
    conn.execute('CREATE TEMP TABLE named (query text COLLATE "C", docno text COLLATE "C", number integer)')
    with conn.cursor() as cursor, cursor.copy("COPY named FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
    conn.execute("INSERT INTO stc.st1_queries (query) SELECT DISTINCT query FROM named ON CONFLICT DO NOTHING")
    conn.execute(
        "INSERT INTO dblp (id, docno, doc, stub) SELECT nextval('dblp_id_seq'), docno, '{}', true"
        " FROM (SELECT DISTINCT docno FROM named) ON CONFLICT DO NOTHING"
    )
    conn.execute(
        "CREATE TEMP TABLE staged AS SELECT q.id AS query, d.id AS doc, number"
        " FROM named JOIN st1_queries q USING (query) JOIN dblp d USING (docno)"
    )
