"""Test data for pools: six runs of three teams and two without a team, written directly to the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import psycopg

Rankings = Mapping[str, Mapping[str, Sequence[str]]]

# run: (team, {query: docnos, best first})
RUNS: dict[str, tuple[str | None, dict[str, list[str]]]] = {
    "a1": ("A", {"q1": ["d1", "d2", "d3", "d4"], "q2": ["d1", "d2"]}),
    "a2": ("A", {"q1": ["d2", "d1", "d5", "d6"], "q2": ["d3"]}),
    "b1": ("B", {"q1": ["d7", "d1", "d8", "d9"], "q2": ["d4", "d1"]}),
    "free": (None, {"q1": ["d3", "d7"]}),
    "lone": (None, {"q1": ["d9"]}),
    "decoy": ("C", {"q3": ["d1", "d9"], "q1": ["x1", "x2", "x3", "x4"]}),
}
POOLED = ["a1", "a2", "b1", "free", "lone"]


def put_documents(conn: psycopg.Connection, texts: Mapping[str, tuple[str | None, str | None]]) -> None:
    """Store documents given by docno as (title, abstract)."""
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO dblp (id, docno, doc) VALUES (nextval('dblp_id_seq'), %s, '{}')", [(docno,) for docno in texts]
        )
        cursor.executemany(
            "INSERT INTO dblp_text (id, title, abstract) SELECT id, %s, %s FROM dblp WHERE docno = %s",
            [(*text, docno) for docno, text in texts.items()],
        )


def put_queries(conn: psycopg.Connection, queries: Mapping[str, str], topic: str = "T1", topic_text: str = "A topic") -> None:
    conn.execute("INSERT INTO st1_topics (topic, text) VALUES (%s, %s) ON CONFLICT DO NOTHING", [topic, topic_text])
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO stc.st1_queries (query, text, topic) SELECT %s, %s, id FROM st1_topics WHERE topic = %s",
            [(query, text, topic) for query, text in queries.items()],
        )


def put_run(conn: psycopg.Connection, run: str, ranking: Mapping[str, Sequence[str]], team: str | None = None) -> None:
    conn.execute("INSERT INTO st1_runs (run, team) VALUES (%s, %s)", [run, team])
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT n.id, q.id, d.id, %s, %s"
            "  FROM st1_runs n, st1_queries q, dblp d WHERE n.run = %s AND q.query = %s AND d.docno = %s",
            [(rank, -rank, run, query, doc) for query, docs in ranking.items() for rank, doc in enumerate(docs, 1)],
        )


def world(conn: psycopg.Connection) -> None:
    """Store RUNS with their queries and documents."""
    docs = sorted({doc for _, ranking in RUNS.values() for docnos in ranking.values() for doc in docnos})
    put_documents(conn, {doc: (f"Title of {doc}", f"Abstract of {doc}.") for doc in docs})
    put_queries(conn, {"q1": "the first query", "q2": "the second", "q3": "decoys"})
    for run, (team, ranking) in RUNS.items():
        put_run(conn, run, ranking, team)


def judged(conn: psycopg.Connection, edition: str, grades: Mapping[tuple[str, str], int], annotator: str = "") -> None:
    """Store judgments of an edition, and a decoy edition with grade 9 for each pooled document."""
    for name in (edition, "decoy"):
        conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s) ON CONFLICT DO NOTHING", [name])
    with conn.cursor() as cursor:
        for name, rels in ((edition, grades), ("decoy", dict.fromkeys(grades, 9))):
            cursor.executemany(
                "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator) SELECT e.id, q.id, d.id, %s, %s"
                "  FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = %s AND q.query = %s AND d.docno = %s",
                [(rel, annotator, name, query, doc) for (query, doc), rel in rels.items()],
            )


def documents(conn: psycopg.Connection, pool: str) -> dict[str, list[str]]:
    """Return the docnos of a pool by query, in order of position, which must be 1, 2, 3 …"""
    found: dict[str, list[str]] = {}
    for query, docno, position in conn.execute(
        "SELECT q.query, d.docno, p.position FROM stc_all.qrels_pool_documents p JOIN stc_all.qrels_pools n ON n.id = p.pool"
        "  JOIN st1_queries q ON q.id = p.query JOIN dblp d ON d.id = p.doc WHERE n.pool = %s ORDER BY q.query, p.position",
        [pool],
    ):
        found.setdefault(query, []).append(docno)
        assert position == len(found[query])
    return found
