"""The statements of the publication's appendices in a schema of the user's own."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.own_schema import own_schema
from stcollection.errors import BadArgument
from tests.qrels.test_expand import judge
from tests.vectors.worlds import at, put_vectors, vector

KNN = """
CREATE FUNCTION dblp_knn_title(v_query vector, nb numeric, sc float) RETURNS TABLE (id bigint) AS $$
BEGIN
    SET LOCAL ivfflat.probes = 65;
    SET LOCAL enable_seqscan = off;
    SET LOCAL parallel_setup_cost = 1;
    SET LOCAL parallel_tuple_cost = 0.001;
    RETURN QUERY
    SELECT t.id FROM (SELECT v.id, v.title_v <#> v_query AS s FROM dblp_v v ORDER BY v.title_v <#> v_query LIMIT nb) t
     WHERE t.s <= sc;
END
$$ LANGUAGE plpgsql
"""
VECTOR = """
CREATE FUNCTION qdblp_v_title(doc bigint) RETURNS vector AS $$
    SELECT title_v FROM dblp_v WHERE id = doc
$$ LANGUAGE sql
"""
VIEW = """
CREATE VIEW st1_qrels_train_knn AS
SELECT topic, query, dblp_knn_title(qdblp_v_title(doc), 10, -0.8) AS doc, rel, origin FROM st1_qrels_train WHERE rel = 2
UNION
SELECT topic, query, doc, rel, origin FROM st1_qrels_train
"""


@pytest.fixture
def judged(conn: psycopg.Connection) -> psycopg.Connection:
    put_vectors(conn, title={1: vector(1), 2: at(0.95), 3: at(0.9), 4: at(0.7)})
    judge(conn, [("q", 1, 2, "human"), ("q", 3, 0, "human")])
    return conn


def test_they_run_as_printed(judged: psycopg.Connection) -> None:
    ours = judged.execute("SELECT doc, rel FROM st1_qrels_train_knn ORDER BY 1").fetchall()
    path = own_schema(judged, "mine")
    with judged.transaction(force_rollback=True):
        judged.execute("SELECT set_config('search_path', %s, true)", [path])
        for statement in (VECTOR, KNN, VIEW):
            judged.execute(statement.encode())
        [[schema]] = judged.execute(
            "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = 'st1_qrels_train_knn'::regclass"
        )
        assert schema == "mine"
        printed = judged.execute("SELECT doc, rel FROM st1_qrels_train_knn ORDER BY 1, 2 DESC").fetchall()
    assert ours == [(1, 2), (2, 2), (3, 0)]
    assert printed == [(1, 2), (2, 2), (3, 2), (3, 0)]  # as printed, document 3 has two grades


def test_the_view_of_the_collection_runs_with_the_functions_of_the_collection(judged: psycopg.Connection) -> None:
    path = own_schema(judged, "mine")
    with judged.transaction(force_rollback=True):
        judged.execute("SELECT set_config('search_path', %s, true)", [path])
        judged.execute(VIEW.encode())
        assert judged.execute("SELECT count(*) FROM st1_qrels_train_knn").fetchone() == (4,)
        assert judged.execute("SELECT count(*) FROM public.st1_qrels_train_knn").fetchone() == (3,)


@pytest.mark.parametrize("name", ["public", "stc", "pg_mine", "information_schema", " ", 'a"b'])
def test_names_of_other_schemas(conn: psycopg.Connection, name: str) -> None:
    with pytest.raises(BadArgument, match="cannot be a schema of your own"):
        own_schema(conn, name)


def test_a_schema_that_exists(conn: psycopg.Connection) -> None:
    assert own_schema(conn, "my own") == own_schema(conn, "my own") == '"my own",public'


@pytest.mark.parametrize("statement", ["GRANT CREATE ON SCHEMA ours TO PUBLIC", "ALTER SCHEMA ours OWNER TO pg_monitor"])
def test_a_schema_that_others_can_change(conn: psycopg.Connection, statement: str) -> None:
    own_schema(conn, "ours")
    conn.execute(statement.encode())
    with pytest.raises(BadArgument, match=r"other roles may create objects in the schema 'ours': (PUBLIC|pg_monitor)"):
        own_schema(conn, "ours")
