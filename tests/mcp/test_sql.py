"""The tool sql cannot write, gain rights, run long or return much, whatever its text."""

from __future__ import annotations

import contextlib
import time

import psycopg
import pytest

from stcollection.errors import BadArgument, DatabaseError, StcError
from stcollection.mcp.answers import LimitedReader
from tests.mcp.conftest import Call
from tests.roles.worlds import collection

pytestmark = pytest.mark.slow
_ = collection

STATEMENTS = (
    "COMMIT",
    "ROLLBACK",
    "BEGIN",
    "END; BEGIN READ WRITE",
    "SAVEPOINT s",
    "SET ROLE stc_owner",
    "RESET ROLE",
    "SET TRANSACTION READ WRITE",
    "SET SESSION AUTHORIZATION DEFAULT",
    "SET statement_timeout = 0",
    "DISCARD ALL",
    "SHOW work_mem",
    "EXPLAIN",
    "EXPLAIN COMMIT",
    "EXPLAIN ANALYZE DELETE FROM st1_runs",
    "EXPLAIN INSERT INTO st1_runs (run) VALUES ('w')",
    "EXPLAIN (ANALYZE) WITH w AS (INSERT INTO st1_runs (run) VALUES ('w') RETURNING run) SELECT * FROM w",
    "EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1",
    "EXPLAIN ANALYZE SELECT 1 AS a INTO t",
    "EXPLAIN ANALYZE EXECUTE p",
    "EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT 1",
    "EXPLAIN ANALYZE TABLE dblp FOR UPDATE",
    "EXPLAIN SELECT 1; DROP TABLE dblp",
    "EXPLAIN (COSTS) ANALYZE SELECT 1",
    "EXPLAIN (ANALYZE, FORMAT json) SELECT 1",
    "EXPLAIN (COSTS) SELECT 1) UNION (SELECT 2",
    "EXPLAIN (COSTS OFF; COMMIT) SELECT 1",
    "EXPLAIN EXPLAIN SELECT 1",
    "EXPLAIN SELECT $1::text",
    "EXPLAIN SELECT $$ ; COMMIT $$ FROM",
    "DO $$ BEGIN PERFORM 1; END $$",
    "CALL connect_embedding_service('http://127.0.0.1:1')",
    "COPY st1_runs TO STDOUT",
    "COPY (SELECT 1) TO PROGRAM 'id'",
    "COPY st1_runs FROM PROGRAM 'id'",
    "LISTEN x",
    "NOTIFY x",
    "LOCK TABLE dblp",
    "PREPARE p AS SELECT 1",
    "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    "VACUUM",
    "CREATE TABLE t (a int)",
    "CREATE TEMP TABLE t AS SELECT 1",
    "DROP TABLE dblp",
    "INSERT INTO st1_runs (run) VALUES ('w') RETURNING run",
    "DELETE FROM st1_runs",
    "UPDATE st1_runs SET run = 'w' RETURNING run",
    "MERGE INTO st1_runs r USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE RETURNING 1",
    "SELECT 1 AS a INTO t",
    "WITH w AS (INSERT INTO st1_runs (run) VALUES ('w') RETURNING run) SELECT * FROM w",
    "SELECT 1; DROP TABLE dblp",
    "SELECT 1;;SELECT 2",
    "SELECT 1) AS q; COMMIT; SELECT (2",
    "SELECT 1) AS q (c1) UNION ALL SELECT repeat('x', 99999) FROM (SELECT 2",
    "SELECT 1 --\n) AS q --",
    "SELECT 1 /*",
    "SELECT '",
    "",
    ";",
    "--",
    "SELECT $1::text",
    "SELECT FROM dblp",
    "SELECT 1 \\; SELECT 2",
    "\\! id",
    "TABLE dblp FOR UPDATE",
)
EXPRESSIONS = (
    "set_config('role', 'stc_owner', true)",
    "set_config('role', 'stc_organiser', false)",
    "set_config('role', 'postgres', true)",
    "set_config('session_authorization', 'postgres', true)",
    "set_config('transaction_read_only', 'off', true)",
    "attack('INSERT INTO st1_runs (run) VALUES (''w'')')",
    "attack('COMMIT')",
    "attack('SET ROLE stc_owner')",
    "attack('SET TRANSACTION READ WRITE')",
    "attack('DELETE FROM st1_runs')",
    "pg_read_file('/etc/passwd')",
    "pg_read_binary_file('PG_VERSION')",
    "pg_ls_dir('.')",
    "pg_stat_file('PG_VERSION')",
    "lo_import('/etc/passwd')",
    "lo_export(1, '/tmp/x')",
    "lo_create(0)",
    "lo_from_bytea(0, 'x')",
    "nextval('dblp_id_seq')",
    "setval('dblp_id_seq', 1)",
    "dblink('dbname=postgres', 'SELECT 1')",
    "pg_reload_conf()",
    "pg_switch_wal()",
    "pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> session_user AND usename IS NOT NULL",
    "rolpassword FROM pg_authid",
    "passwd FROM pg_shadow",
    "drop_runs('{base}')",
    "stc.hide_edition('train')",
    "stc.release_edition('test')",
    "stc.drop_edition('train')",
    "stc.mark_simulated('train')",
    "stc.claim_run('w')",
    "ask_scores('red1', 'test')",
    "score_requests()",
)
_STATE = (
    "SELECT (SELECT array_agg(run ORDER BY run) FROM st1_runs), (SELECT count(*) FROM qrels_judgments),"
    " (SELECT array_agg((edition, hidden, simulated) ORDER BY edition) FROM qrels_editions),"
    " (SELECT last_value FROM dblp_id_seq), (SELECT count(*) FROM pg_largeobject_metadata),"
    " (SELECT count(*) FROM pg_class WHERE relkind = 'r'), current_setting('work_mem')"
)


@pytest.fixture
def attack(collection: psycopg.Connection) -> None:
    """A function that runs any statement, in case a collection has one."""
    collection.execute(
        "CREATE FUNCTION public.attack(deed text) RETURNS text LANGUAGE plpgsql AS $$"
        " DECLARE told text; BEGIN IF deed ~ '^SELECT' THEN EXECUTE deed INTO told; ELSE EXECUTE deed; END IF; RETURN told; END $$"
    )


def test_no_text_writes_or_gains_rights(reader: LimitedReader, attack: None, collection: psycopg.Connection) -> None:
    before = collection.execute(_STATE).fetchone()
    explained = (f"EXPLAIN {how} SELECT {one}" for one in EXPRESSIONS for how in ("ANALYZE", "(ANALYZE, TIMING OFF)"))
    tried = [*STATEMENTS, *(f"SELECT {one}" for one in EXPRESSIONS), *explained]
    accepted = []
    for text in tried:
        with contextlib.suppress(StcError):
            accepted.append((text, reader.query(text)))
    assert accepted == []
    assert collection.execute(_STATE).fetchone() == before
    assert reader.query("SELECT current_user = session_user AND NOT pg_has_role('stc_organiser', 'MEMBER')").rows == [[True]]


def test_roles_regained_in_the_text_are_only_a_readers(reader: LimitedReader, attack: None) -> None:
    hidden = "attack('SELECT count(*) FROM qrels_judgments WHERE hidden')"
    deeds = ["RESET ROLE", "SET LOCAL ROLE stc_reader", "RESET SESSION AUTHORIZATION", "RESET ALL"]
    for deed in ("set_config('role', 'none', true)", *(f"attack('{one}')" for one in deeds)):
        found = reader.query(f"SELECT {deed}, {hidden} FROM generate_series(1, 2)")
        assert [row[1] for row in found.rows] == ["0", "0"]


def test_settings_and_locks_end_with_the_call(reader: LimitedReader, collection: psycopg.Connection) -> None:
    reader.query(
        "SELECT set_config('statement_timeout', '0', false), set_config('search_path', 'pg_temp', false), pg_advisory_lock(7)"
    )
    assert reader.query("SELECT current_setting('statement_timeout'), current_setting('search_path') <> 'pg_temp'").rows == [
        ["1s", True]
    ]
    assert collection.execute("SELECT pg_try_advisory_lock(7)").fetchone() == (True,)
    reader.query("SELECT pg_notify('x', 'y')")
    assert list(collection.notifies(timeout=0)) == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT pg_sleep(30)",
        "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b",
        "SELECT set_config('statement_timeout', '0', true), pg_sleep(30)",
        "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT count(*) FROM r",
        "EXPLAIN ANALYZE SELECT pg_sleep(30)",
        "EXPLAIN (ANALYZE) SELECT set_config('statement_timeout', '0', true), pg_sleep(30)",
    ],
)
def test_time_is_limited(reader: LimitedReader, text: str) -> None:
    began = time.monotonic()
    with pytest.raises(DatabaseError, match="longer than 1 second"):
        reader.query(text)
    assert time.monotonic() - began < 5


def test_rows_and_bytes_are_limited(reader: LimitedReader) -> None:
    found = reader.query("SELECT g FROM generate_series(1, 100000) g")
    assert [row[0] for row in found.rows] == list(range(1, 101))
    assert found.note == "Only the first 100 rows. Use LIMIT and OFFSET, a filter, or an aggregate."
    assert reader.query("SELECT g FROM generate_series(1, 100) g ORDER BY g DESC").note is None
    found = reader.query("SELECT repeat('x', 20000) FROM generate_series(1, 50)")
    assert len(found.rows) == 2
    assert "limit of 50,000 bytes" in (found.note or "")
    for text in ("SELECT repeat('x', 50000)", "SELECT array_agg(g) FROM generate_series(1, 50000) g"):
        with pytest.raises(BadArgument, match=r"the first row has .* bytes; the limit is 50,000"):
            reader.query(text)


def test_explain_is_that_of_psql(reader: LimitedReader, collection: psycopg.Connection) -> None:
    text = "SELECT run FROM st1_runs WHERE run = 'x;''--$$ \\' ORDER BY 1 -- the end"
    for options, given in (
        ("", ""),
        ("(COSTS OFF)", "(costs off)"),
        ("(VERBOSE ON, COSTS OFF)", "( verbose, Costs 0 )"),
        ("", "\n"),
    ):
        found = reader.query(f" explain {given} {text}")
        with psycopg.connect(reader._where) as own:
            plan = own.execute(f"EXPLAIN {options} {text}".encode()).fetchall()
        assert (found.columns, found.rows, found.note) == (["QUERY PLAN"], [[line] for (line,) in plan], None)
        assert psycopg.connect(reader._where).execute(found.statement.encode()).fetchall() == plan, "the SQL can be repeated"
    assert "Index" in str(reader.query("EXPLAIN SELECT * FROM dblp WHERE id = 7;").rows)
    assert "actual" in str(reader.query("EXPLAIN ANALYZE VALUES (1), (2)").rows)
    assert "actual" not in str(reader.query("EXPLAIN (ANALYZE FALSE) (SELECT 1)").rows)
    assert reader.query("EXPLAIN (SELECT 1)").rows != []
    assert collection.execute("SELECT current_setting('stc.plan', true)").fetchone() in ((None,), ("",))


def test_a_long_plan_is_shortened(reader: LimitedReader) -> None:
    found = reader.query("EXPLAIN SELECT 1 WHERE random()::text <> repeat('x', 10000000)")
    assert sum(len(line) for [line] in found.rows) < 50_000
    assert "of the plan" in (found.note or "")
    found = reader.query(f"EXPLAIN {' UNION ALL '.join(['SELECT random()'] * 150)}")
    assert len(found.rows) == 100
    assert found.note == "Only the first 100 lines of the plan. Ask for a shorter query."


def test_results_are_those_of_psql(reader: LimitedReader) -> None:
    found = reader.query("SELECT 1 AS a, 'b' AS a, '%s' LIKE '%', NULL, 'NaN'::float8, '{1,2}'::int[], ROW(1, 'x') -- the end;")
    assert found.columns == ["a", "a", "?column?", "?column?", "float8", "int4", "row"]
    assert found.rows == [[1, "b", True, None, "NaN", [1, 2], {"f1": 1, "f2": "x"}]]
    assert reader.query(" VALUES (2), (1) ;\n").rows == [[2], [1]]
    assert reader.query("WITH w AS (SELECT 1 AS x) TABLE w").statement == "WITH w AS (SELECT 1 AS x) TABLE w"


def test_errors_do_not_repeat_long_texts(call: Call) -> None:
    for arguments in ({"statement": "SELECT 1" + " " * 10_000_000}, {"statement": "S", "x" * 10_000_000: 1}):
        wrong, text, _ = call("sql", **arguments)
        assert wrong
        assert len(text) < 500
    wrong, text, _ = call("search", query="x" * 10_000_000)
    assert wrong
    assert "query is" in text
    assert len(text) < 500
    wrong, text, _ = call("sql", statement=f"SELECT '{'x' * 15_000}'::integer")
    assert wrong
    assert len(text) < 1000
