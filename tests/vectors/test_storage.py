"""Vectors are stored inline, where an exact search reads them fastest; rows that do not fit a page use TOAST."""

from __future__ import annotations

import psycopg
import pytest

from tests.text.documents import put

pytestmark = pytest.mark.slow

DOCS = 30
VECTORS = """
INSERT INTO {} (id, title_v, abstract_v, content_v)
SELECT d.id, v.v, v.v, v.v
  FROM dblp d, LATERAL (SELECT array_agg(random())::vector AS v FROM generate_series(1, {}) WHERE d.id > 0) v
"""


def chunks(conn: psycopg.Connection, table: str) -> int:
    """Return the number of chunks in the TOAST table of a table."""
    [(toast,)] = conn.execute("SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = %s::regclass", [table]).fetchall()
    [(count,)] = conn.execute(f"SELECT count(*) FROM {toast}".encode()).fetchall()
    return int(count)


def fill(conn: psycopg.Connection, table: str, dim: int) -> None:
    put(conn, dict.fromkeys(range(1, DOCS + 1), ("title", "abstract")))
    conn.execute(VECTORS.format(table, dim).encode())


def test_three_vectors_of_the_default_model_are_inline(conn: psycopg.Connection) -> None:
    fill(conn, "dblp_v", 384)
    assert chunks(conn, "dblp_v") == 0


@pytest.mark.parametrize(("dim", "inline"), [(384, True), (768, False), (2000, False), (4000, False)])
def test_vectors_of_any_dimension_can_be_stored(conn: psycopg.Connection, dim: int, inline: bool) -> None:
    conn.execute("SELECT stc.add_vector_model('other', 'a/model', %s)", [dim])
    fill(conn, "dblp_v_other", dim)
    assert (chunks(conn, "dblp_v_other") == 0) == inline
    [(stored,)] = conn.execute("SELECT count(*) FROM dblp_v_other WHERE vector_dims(content_v) = %s", [dim]).fetchall()
    assert stored == DOCS


def test_all_tables_of_a_model_are_inline(conn: psycopg.Connection) -> None:
    conn.execute("SELECT stc.add_vector_model('other', 'a/model', 8)")
    rows = conn.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND reloptions = '{toast_tuple_target=8160}' ORDER BY 1"
    ).fetchall()
    assert [name for (name,) in rows] == ["dblp_p", "dblp_p_other", "dblp_v", "dblp_v_other", "query_v"]
