"""sync creates, replaces, rebuilds and drops objects of sql/, keeps grants, and never drops an object of the user."""

from __future__ import annotations

import re

import psycopg
import pytest

from stcollection.db.objects import _DEFINITIONS, CLUSTER, SqlFile, drift, read, sync
from stcollection.errors import StateError

ONE = SqlFile(
    "x/one.sql",
    "CREATE OR REPLACE FUNCTION public.one() RETURNS integer LANGUAGE sql AS 'SELECT 1';\nCOMMENT ON FUNCTION one() IS 'One';",
)
SEEN = SqlFile("x/seen.sql", "CREATE OR REPLACE VIEW public.seen WITH (security_invoker = true) AS SELECT one() AS n;")


@pytest.fixture
def put(conn: psycopg.Connection):  # type: ignore[no-untyped-def]
    """Call sync with the project's files and the given files."""

    def put(*files: SqlFile) -> int:
        with conn.transaction():
            return sync(conn, [*read(), *files])

    return put


def value(conn: psycopg.Connection, query: str) -> object:
    row = conn.execute(query.encode()).fetchone()
    return row and row[0]


def test_what_is_new_is_created_and_a_second_sync_finds_nothing(conn, put) -> None:  # type: ignore[no-untyped-def]
    assert put(ONE, SEEN) == 2
    assert value(conn, "SELECT n FROM seen") == 1
    assert put(ONE, SEEN) == 0


@pytest.mark.slow
def test_a_changed_body_is_replaced_in_place(conn, put) -> None:  # type: ignore[no-untyped-def]
    put(ONE, SEEN)
    oid = value(conn, "SELECT 'one'::regproc::oid")
    assert put(SqlFile(ONE.path, ONE.text.replace("SELECT 1", "SELECT 2")), SEEN) == 1
    assert value(conn, "SELECT n FROM seen") == 2
    assert value(conn, "SELECT 'one'::regproc::oid") == oid


def test_a_changed_return_type_rebuilds_what_stands_on_it_and_keeps_grants(conn, put) -> None:  # type: ignore[no-untyped-def]
    put(ONE, SEEN)
    conn.execute("GRANT SELECT ON seen TO pg_monitor")
    conn.execute("REVOKE EXECUTE ON FUNCTION one() FROM PUBLIC")
    put(SqlFile(ONE.path, ONE.text.replace("RETURNS integer", "RETURNS text").replace("SELECT 1", "SELECT ''uno''")), SEEN)
    assert value(conn, "SELECT n FROM seen") == "uno"
    assert value(conn, "SELECT has_table_privilege('pg_monitor', 'seen', 'SELECT')") is True
    assert value(conn, "SELECT has_function_privilege('pg_monitor', 'one()', 'EXECUTE')") is False


def test_a_changed_signature_leaves_no_overload(conn, put) -> None:  # type: ignore[no-untyped-def]
    put(ONE)
    text = ONE.text.replace("one() RETURNS", "one(more integer DEFAULT 1) RETURNS").replace("one() IS", "one(int) IS")
    put(SqlFile(ONE.path, text))
    assert value(conn, "SELECT count(*) FROM pg_proc WHERE proname = 'one'") == 1
    assert value(conn, "SELECT pronargs FROM pg_proc WHERE proname = 'one'") == 1


def test_a_function_of_somebody_else_that_shares_the_name_stays(conn, put) -> None:  # type: ignore[no-untyped-def]
    conn.execute("CREATE FUNCTION public.one(text) RETURNS integer LANGUAGE sql AS 'SELECT 7'")
    put(ONE, SEEN)
    conn.execute("CREATE FUNCTION public.one(date) RETURNS integer LANGUAGE sql AS 'SELECT 8'")
    assert drift(conn) == []
    put(SqlFile(ONE.path, ONE.text.replace("RETURNS integer", "RETURNS bigint")), SEEN)  # dropped and made again
    assert drift(conn) == []
    put()
    assert value(conn, "SELECT array_agg(oid::regprocedure::text ORDER BY oid) FROM pg_proc WHERE proname = 'one'") == [
        "one(text)",
        "one(date)",
    ]


def test_what_is_gone_is_dropped(conn, put) -> None:  # type: ignore[no-untyped-def]
    put(ONE, SEEN)
    assert put(ONE) == 1
    assert value(conn, "SELECT to_regclass('seen')") is None


def test_an_object_of_the_user_stops_the_upgrade_and_is_named(conn, put) -> None:  # type: ignore[no-untyped-def]
    put(ONE)
    conn.execute("CREATE VIEW mine AS SELECT one() AS n")
    with pytest.raises(StateError, match="view mine depends on function one") as error:
        put(SqlFile(ONE.path, ONE.text.replace("RETURNS integer", "RETURNS bigint")))
    assert error.value.hint is not None
    assert "Nothing was changed" in error.value.hint
    assert value(conn, "SELECT n FROM mine") == 1


def test_drift_is_told(conn, put) -> None:  # type: ignore[no-untyped-def]
    put(ONE, SEEN)
    assert drift(conn) == []
    conn.execute("CREATE OR REPLACE FUNCTION public.one() RETURNS integer LANGUAGE sql AS 'SELECT 3'")
    assert drift(conn) == ["x/one.sql"]
    conn.execute("DROP VIEW seen")
    assert drift(conn) == ["x/one.sql", "x/seen.sql"]


def test_a_circle_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "x").mkdir()
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / "x" / f"{name}.sql").write_text(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM {other};")
    with pytest.raises(StateError, match="circular dependence"):
        read(tmp_path)


def test_every_routine_says_what_it_is_and_pins_its_search_path(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_language l ON l.oid = prolang"
        " WHERE pronamespace IN ('public'::regnamespace, 'stc'::regnamespace) AND prokind IN ('f', 'p')"
        " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
        " AND (obj_description(p.oid, 'pg_proc') IS NULL"
        "      OR lanname <> 'sql' AND NOT coalesce(proconfig::text LIKE '%search\\_path=stc%, public, pg\\_temp%', false))"
    ).fetchall()
    assert rows == []


def test_every_view_is_a_security_invoker_and_says_what_it_is(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT relname FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'stc'::regnamespace) AND relkind = 'v'"
        " AND (obj_description(oid, 'pg_class') IS NULL OR NOT coalesce(reloptions::text LIKE '%security_invoker=true%', false))"
    ).fetchall()
    assert rows == []


@pytest.mark.slow
def test_a_fresh_database_and_an_upgraded_one_are_the_same(conn: psycopg.Connection) -> None:
    """Compare all objects after an upgrade from a state with missing, old and additional objects."""

    def definitions() -> dict[str, str]:
        conn.execute("SET search_path = stc, public, pg_temp")  # names found by the search path are written without schema
        found: dict[str, str] = dict(conn.execute(_DEFINITIONS.encode()).fetchall())
        conn.execute("SET search_path = public")
        return found

    fresh = definitions()
    with conn.transaction():
        sync(conn, [*read(), ONE, SEEN])
    conn.execute("DROP VIEW rankings")
    row = conn.execute("SELECT rtrim(pg_get_viewdef('qrels'::regclass), ';')").fetchone()
    assert row is not None
    conn.execute(f"CREATE OR REPLACE VIEW public.qrels AS SELECT q.*, 'old' AS more FROM ({row[0]}) q".encode())
    conn.execute("UPDATE stc_objects SET fingerprint = 'old'")
    with conn.transaction():
        sync(conn)
    assert definitions() == fresh
    assert drift(conn) == []


def test_functions_of_a_distributed_collection_replace_those_of_one_server() -> None:
    near, far = read(), read(distributed=True)
    assert {obj for file in near for obj in file.signatures} == {obj for file in far for obj in file.signatures}
    replaced = {file.path for file in near} - {file.path for file in far}
    variants = {file.path for file in far} - {file.path for file in near}
    assert {path.rpartition("/")[2] for path in replaced} == {path.removeprefix(CLUSTER) for path in variants}


def test_only_the_functions_of_a_distributed_collection_know_that_it_is_distributed() -> None:
    near, far = read(), read(distributed=True)
    parts = {name for file in near if file.path.startswith(CLUSTER) for name in file.names}
    forbidden = re.compile(rf"\b({'|'.join(sorted(parts | {'distributed'}))})\(")
    assert "bm25_on_shards" in parts
    for file in near:
        code = re.sub(r"--[^\n]*", "", file.text)
        if file in far and not file.path.startswith((CLUSTER, "db/distributed.sql")):
            assert forbidden.findall(code) == [], file.path


def test_sync_to_a_distributed_collection_and_back_changes_only_functions(conn) -> None:  # type: ignore[no-untyped-def]
    definitions = b"SELECT oid, prosrc, prolang, provolatile, proparallel, proconfig FROM pg_proc ORDER BY oid"
    functions = conn.execute(definitions).fetchall()
    with conn.transaction(force_rollback=True):
        changed = sync(conn, read(distributed=True))
        assert changed > 0
        assert "Citus" in str(value(conn, "SELECT prosrc FROM pg_proc WHERE proname = 'bm25_scored'"))
        with pytest.raises(psycopg.Error) as error, conn.transaction():
            conn.execute("SELECT stc.refuse_distributed('this')")
        assert error.value.sqlstate == "IR415"
        assert drift(conn) == []
        assert sync(conn, read()) == changed
        assert (conn.execute(definitions).fetchall(), drift(conn)) == (functions, [])
