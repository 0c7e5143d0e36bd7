"""Compare bm25_search (top 100, ACM-CR) with a plain pg_textsearch query; also time RM3 and the portable BM25.

There are two sets of queries: the collection's citation contexts, about 130 words each, and the same number of document titles. The
peer is a plain pg_textsearch statement: the best 100 ids with the scores of the index scan, ties in table order. Ours parses the
query, checks that the index is complete, and orders ties by docno.

Both are sent unprepared: in a prepared statement, pg_textsearch 1.0 scores every row a second time.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import psycopg

from benchmarks.common import collection, data, dsn, server, tell, timed
from stcollection.corpus.load import load
from stcollection.topics.load import load as load_topics

ROUNDS = 5
OURS = "SELECT * FROM bm25_search(%s, 100)"
BARE = """SELECT id, -bm25_get_current_score() FROM dblp_text
           ORDER BY content <@> to_bm25query(%s, 'dblp_text_bm25') LIMIT 100"""
FEEDBACK = "SELECT * FROM rm3_search(%s, 100)"
PORTABLE = "SELECT * FROM bm25_search(%s, 100, engine => 'portable')"


def main() -> None:
    folder = data() / "acm-cr"
    with server() as at, collection(at, "bench_bm25") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        load(dsn(settings), [str(folder / "acmcr.dblp-v12.json.zst")])
        conn.execute("CALL stc.index_text(engine => 'pg_textsearch')")
        conn.execute("VACUUM (ANALYZE) dblp, dblp_text")
        load_topics(conn, [folder / "contexts.topics"], field="desc", on_duplicate="first")
        contexts = _texts(conn, "SELECT text FROM st1_queries WHERE text IS NOT NULL ORDER BY query")
        titles = _texts(conn, f"SELECT title FROM dblp_text WHERE title <> '' ORDER BY hashint8(id) LIMIT {len(contexts)}")
        for what, queries in (("contexts", contexts), ("titles", titles)):
            ours, bare, ratio = compare(conn, queries)
            tell(
                f"bm25_search top 100, {len(queries)} {what}",
                f"{ours:.2f} ms",
                f"pg_textsearch {bare:.2f} ms",
                ratio,
                "at most 1.20",
            )
        for what, queries in (("contexts", contexts), ("titles", titles)):
            fed = [milliseconds(conn, FEEDBACK, query) for query in queries[:50]]
            tell(f"rm3_search top 100, 50 {what}", f"{statistics.median(fed):.1f} ms")
        slow = [milliseconds(conn, PORTABLE, query) for query in titles[:25]]
        tell("portable BM25 top 100, 25 titles", f"{statistics.median(slow):.0f} ms")


def compare(conn: psycopg.Connection, queries: Sequence[str]) -> tuple[float, float, float]:
    """Return medians over queries: our milliseconds, the peer's, and their ratio. Each query's time is the median of rounds."""
    pairs = []
    for query in queries:
        ours: list[float] = []
        bare: list[float] = []
        for number in range(ROUNDS):
            for statement in (OURS, BARE) if number % 2 else (BARE, OURS):
                (ours if statement is OURS else bare).append(milliseconds(conn, statement, query))
        pairs.append((statistics.median(ours), statistics.median(bare)))
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def milliseconds(conn: psycopg.Connection, statement: str, query: str) -> float:
    return 1000 * timed(lambda: conn.execute(statement.encode(), [query], prepare=False).fetchall())


def _texts(conn: psycopg.Connection, statement: str) -> list[str]:
    return [text for (text,) in conn.execute(statement.encode())]


if __name__ == "__main__":
    main()
