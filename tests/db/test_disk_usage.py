"""What each part of a collection takes on disk."""

from __future__ import annotations

import psycopg

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.db.status import status
from tests.text.documents import put

PARTS = {
    "documents", "text", "text indexes", "vectors", "vector indexes", "readability", "runs", "scores", "judgments", "other"
}  # fmt: skip
ALL = """
SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
 WHERE c.relkind IN ('r', 'm') AND c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace, 'stc_all'::regnamespace)
"""


def usage(conn: psycopg.Connection) -> dict[str, int]:
    return dict(conn.execute("SELECT part, bytes FROM stc.disk_usage()").fetchall())


def test_the_parts_are_the_whole(conn: psycopg.Connection) -> None:
    before = usage(conn)
    put(conn, dict.fromkeys(range(1, 2001), ("a title", "an abstract")))
    conn.execute("CALL stc.index_text()")
    conn.execute("INSERT INTO dblp_v (id, title_v) SELECT id, array_fill(0.5::real, ARRAY[384])::vector FROM dblp")
    conn.execute("CALL stc.index_vectors('title', kind => 'hnsw')")
    after = usage(conn)
    assert set(after) == PARTS
    assert after["vectors"] - before["vectors"] > 2000 * 384 * 4
    assert after["vector indexes"] > 2000 * 384 * 4
    assert {part for part in PARTS if after[part] > before.get(part, 0)} >= {"documents", "text", "text indexes", "vectors"}
    [(every,)] = conn.execute(ALL.encode()).fetchall()
    assert sum(after.values()) == every


def test_the_status_prints_the_parts(handed: Settings) -> None:
    [said] = [fact for what, fact in status(handed) if what == "disk"]
    with connect(handed) as conn:
        assert said.startswith(f"{sum(usage(conn).values()) / 1e6:,.0f} MB: ")
    assert "vectors" in said
