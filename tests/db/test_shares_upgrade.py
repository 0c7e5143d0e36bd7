"""The upgrade that stores the division of shared pools (revision 0048)."""

from __future__ import annotations

from decimal import Decimal

import psycopg
import pytest

from stcollection.db.objects import drift
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.qrels.pools import make_pool, share_pool
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow

ODD = (
    "5", '{"annotators": 5}', '{"annotators": []}', '{"annotators": ["anna"], "overlap": 0.5}',
    '{"annotators": ["anna", "ben"], "overlap": "x"}', '{"annotators": ["anna", "ben"], "overlap": 1e300}',
)  # fmt: skip
DIVIDED = "SELECT pool, query, doc, annotators FROM stc_all.qrels_pool_documents ORDER BY pool, query, doc"


def test_pools_shared_before_have_the_same_sheets(conn: psycopg.Connection, settings: Settings) -> None:
    docs = [f"d{number}" for number in range(23)]
    put_documents(conn, {doc: (doc, None) for doc in docs})
    put_queries(conn, {"q1": "one", "q2": "two"})
    put_run(conn, "r", {"q1": docs[:10], "q2": docs[10:]})
    for number, (people, overlap) in enumerate(
        ((["anna"], "0"), (["anna", "ben"], "1"), (["ben", "anna", "eve"], "0.3"), ([], "0"))
    ):
        make_pool(conn, f"p{number}")
        if people:
            share_pool(conn, f"p{number}", annotators=people, overlap=Decimal(overlap))
    before = conn.execute(DIVIDED).fetchall()
    assert {len(row[3]) for row in before if row[3]} == {1, 2}
    assert any(row[3] is None for row in before)
    for number, shares in enumerate(ODD):  # an organiser can store these
        make_pool(conn, f"odd{number}")
        conn.execute(
            "UPDATE stc_all.qrels_pools SET params = params || jsonb_build_object('shares', %s::jsonb) WHERE pool = %s",
            [shares, f"odd{number}"],
        )
    conn.execute("DROP TABLE stc_all.qrels_reviews, stc_all.qrels_strata, stc_all.qrels_pool_undrawn, stc.vector_terms")
    conn.execute("UPDATE public.stc_objects SET fingerprint = '' WHERE file = 'qrels/store_strata.sql'")  # it has their triggers
    conn.execute("ALTER TABLE stc_all.qrels_pool_documents DROP COLUMN annotators, DROP COLUMN batch")
    conn.execute("ALTER TABLE stc_all.qrels_comparisons DROP COLUMN answers")
    conn.execute("DROP VIEW public.excluded_documents; ALTER TABLE stc.st1_queries DROP COLUMN excluded")
    conn.execute("ALTER TABLE stc.own_systems DROP COLUMN fusion CASCADE; ALTER TABLE stc.vector_indexes DROP COLUMN idf")
    conn.execute("UPDATE public.alembic_version SET version_num = '0047'")
    upgrade(settings)
    assert [row for row in conn.execute(DIVIDED).fetchall() if row[0] <= before[-1][0]] == before
    assert drift(conn) == []
