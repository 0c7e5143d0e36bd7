"""Parallel safety: the mark of each function follows from its body and from what it calls.

The rules are PostgreSQL's (manual, 15.4 Parallel Safety). Writing, changing a setting and using a sequence are unsafe; reading a
temporary table and using a cursor are restricted. A block with EXCEPTION is safe since PostgreSQL 17, the oldest that we support.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum

import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.files import folder, toml
from stcollection.db.objects import SqlFile, changes, read, sync
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings


class Safety(IntEnum):
    SAFE = 0
    RESTRICTED = 1
    UNSAFE = 2


MARKS = {"s": Safety.SAFE, "r": Safety.RESTRICTED, "u": Safety.UNSAFE}
# Functions of extensions that the server may lack. All other functions of pg_textsearch and pgvector that we call are safe.
ABSENT = {"bm25_summarize_index": Safety.UNSAFE, "http": Safety.UNSAFE, "http_set_curlopt": Safety.UNSAFE}
# Text that looks like a call but is only compared with names of functions.
NOT_CALLED = {("score_code", "judge_runs"), ("system_call", "pipeline_search")} | {
    ("product_systems", row["call"].partition("(")[0]) for row in toml(folder("sql") / "retrieval" / "systems.toml")["systems"]
}

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = r"'(?:[^']|'')*'"
_RAISE = re.compile(rf"\bRAISE\s(?:{_STRING}|[^';])*;")
_MESSAGE = re.compile(rf"\b(?:MESSAGE|HINT|DETAIL)\s*:?=\s*{_STRING}")
_ALIAS = re.compile(r"\bAS\s+\w+\s*\(")
_QUERY = re.compile(r"\b\w+\s*\([\w,\s]*\)\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?\(")
_CALL = re.compile(r"(?<![.\w%])(?:stc\.|public\.)?([a-z_]\w*)\s*\(")
_RELATION = re.compile(r"\b(?:FROM|JOIN)\s+(?:stc\.|public\.|pg_catalog\.)?(\w+)")
# Our SQL writes keywords in capitals, so prose does not match.
_WRITES = re.compile(
    r"\b(?:INSERT\s+INTO|UPDATE\s+(?!SET\b)[%\w.]+\s|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE|CREATE\s|DROP\s|ALTER\s|COMMENT\s+ON"
    r"|GRANT\s|REVOKE\s|LOCK\s+TABLE|COPY\s|CALL\s|COMMIT\b|ROLLBACK\b|NOTIFY\s|REINDEX|ANALYZE\s|VACUUM|REFRESH\s|SET\s+LOCAL"
    r"|FOR\s+(?:NO\s+KEY\s+)?UPDATE|FOR\s+(?:KEY\s+)?SHARE)"
)
_RESTRICTS = re.compile(r"\bpg_temp\.|\bOPEN\s|\bFETCH\s+(?!FIRST)|\bCURSOR\b|\bPREPARE\b")

ROUTINES = """
SELECT p.oid::regprocedure::text, p.proname, p.prokind = 'p', p.provolatile = 'v', p.proparallel::text,
       coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)
  FROM pg_proc p WHERE p.pronamespace IN ('stc'::regnamespace, 'public'::regnamespace) AND p.prokind IN ('f', 'p')
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
"""
OTHERS = """
SELECT p.proname, max(CASE p.proparallel WHEN 's' THEN 0 WHEN 'r' THEN 1 ELSE 2 END)
  FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace
    OR EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e') GROUP BY 1
"""
# The functions that a view calls, also through other views.
VIEWS = """
WITH RECURSIVE reads (view, class, object) AS (
    SELECT c.oid, 'pg_class'::regclass::oid, c.oid FROM pg_class c
     WHERE c.relkind = 'v' AND c.relnamespace IN ('stc'::regnamespace, 'public'::regnamespace, 'pg_catalog'::regnamespace)
    UNION
    SELECT r.view, d.refclassid, d.refobjid FROM reads r
      JOIN pg_rewrite w ON r.class = 'pg_class'::regclass AND w.ev_class = r.object
      JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid)
SELECT r.view::regclass::text, p.proname FROM reads r JOIN pg_proc p ON r.class = 'pg_proc'::regclass AND p.oid = r.object
"""
POLICIES = """
SELECT DISTINCT p.oid::regprocedure::text, p.proparallel::text
  FROM pg_depend d JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
 WHERE d.classid = 'pg_policy'::regclass
"""


@dataclass(frozen=True)
class Routine:
    """A function or procedure.

    :param mark: None for a procedure, which no query calls.
    :param body: without comments and texts of errors.
    """

    signature: str
    name: str
    volatile: bool
    mark: Safety | None
    body: str


def clean(source: str) -> str:
    """Remove what is not run: comments, texts of errors, and lists of columns, which look like calls."""
    body = _RAISE.sub(lambda found: re.sub(_STRING, "''", found[0]), _COMMENT.sub("", source))
    return _QUERY.sub("(", _ALIAS.sub("AS (", _MESSAGE.sub("", body)))


def routines(conn: psycopg.Connection) -> list[Routine]:
    return [
        Routine(signature, name, volatile, None if procedure else MARKS[mark], clean(source))
        for signature, name, procedure, volatile, mark, source in conn.execute(ROUTINES.encode()).fetchall()
    ]


def derive(conn: psycopg.Connection) -> dict[Routine, tuple[Safety, str]]:
    """Return the safety that follows from the body of each routine, with the reason. Overloads count as one routine."""
    ours = routines(conn)
    names = {one.name for one in ours}
    others = ABSENT | {name: Safety(level) for name, level in conn.execute(OTHERS.encode()).fetchall()}
    views: dict[str, set[str]] = {}
    for view, name in conn.execute(VIEWS.encode()).fetchall():
        views.setdefault(view.rpartition(".")[2], set()).add(name)
    calls: dict[str, set[str]] = {}
    found: dict[str, tuple[Safety, str]] = {}
    for one in ours:
        words = set(_CALL.findall(one.body))
        words = {word for word in words if (one.name, word) not in NOT_CALLED}
        for view in _RELATION.findall(one.body):
            words |= views.get(view, set())
        calls.setdefault(one.name, set()).update(words & names - {one.name})
        reasons = [(others[word], f"calls {word}") for word in words - names if word in others]
        reasons += [(Safety.UNSAFE, f"runs {what.split()[0]}") for what in _WRITES.findall(one.body)]
        reasons += [(Safety.RESTRICTED, "uses a temporary table or a cursor") for _ in _RESTRICTS.findall(one.body)]
        reasons += [(Safety.UNSAFE, "is a procedure")] if one.mark is None else []
        found[one.name] = max([*reasons, found.get(one.name, (Safety.SAFE, "")), (Safety.SAFE, "")], key=lambda reason: reason[0])
    while True:  # what a function calls
        lower = {
            name: max(((found[other][0], f"calls {other}, which {found[other][1]}") for other in called), default=found[name])
            for name, called in calls.items()
        }
        lower = {name: reason for name, reason in lower.items() if reason[0] > found[name][0]}
        if not lower:
            return {one: found[one.name] for one in ours}
        found |= lower


def faults(conn: psycopg.Connection) -> list[str]:
    """Marks that contradict the bodies. Volatile functions may be marked less safe than they are."""
    wrong = []
    for one, (level, reason) in derive(conn).items():
        if one.mark is None or one.mark == level or (one.volatile and one.mark > level):
            continue
        if one.mark < level:
            wrong.append(f"{one.signature} is PARALLEL {one.mark.name}, but {reason}")
        else:
            wrong.append(f"{one.signature}: mark it PARALLEL {level.name}")
    return sorted(wrong)


def test_the_marks_follow_from_the_bodies(conn: psycopg.Connection) -> None:
    assert faults(conn) == []
    levels = [level for one, (level, _) in derive(conn).items() if not one.volatile]
    assert levels.count(Safety.SAFE) > 300
    assert {Safety.RESTRICTED, Safety.UNSAFE} < set(levels)


def test_policies_call_only_safe_functions(conn: psycopg.Connection) -> None:
    """A policy with another function would keep every query of its table from using workers."""
    found: dict[str, str] = dict(conn.execute(POLICIES.encode()).fetchall())
    assert found == {"my_team()": "s"}


FUNCTION = "CREATE FUNCTION stc.added() RETURNS {} AS $${}$$"
SAFE = "integer LANGUAGE plpgsql STABLE PARALLEL SAFE"


@pytest.mark.parametrize(
    ("returns", "body", "fault"),
    [
        ("integer LANGUAGE sql STABLE", "SELECT 1", "mark it PARALLEL SAFE"),
        ("integer LANGUAGE sql IMMUTABLE PARALLEL RESTRICTED", "SELECT 1", "mark it PARALLEL SAFE"),
        ("integer LANGUAGE sql STABLE", "SELECT rank FROM pg_temp.near", "mark it PARALLEL RESTRICTED"),
        (SAFE, "BEGIN RETURN (SELECT rank FROM pg_temp.near); END", "is PARALLEL SAFE, but uses a temporary table"),
        (SAFE, "BEGIN PERFORM set_config('work_mem', '1MB', true); END", "is PARALLEL SAFE, but calls set_config"),
        (SAFE, "BEGIN EXECUTE format('DELETE FROM %I', 'dblp'); END", "is PARALLEL SAFE, but runs DELETE"),
        (SAFE, "BEGIN PERFORM 1 FROM stc.dblp_text FOR UPDATE; END", "is PARALLEL SAFE, but runs FOR"),
        (SAFE, "BEGIN RETURN nextval('x'); END", "is PARALLEL SAFE, but calls nextval"),
        (SAFE, "BEGIN RETURN random(); END", "is PARALLEL SAFE, but calls random"),
        (
            SAFE,
            "BEGIN PERFORM dense_search('[1]', 1); END",
            "but calls dense_search, which calls knn, which calls knn_among, which calls set_config",
        ),
        (SAFE, "BEGIN EXECUTE 'SELECT * FROM dense_search($1, 1)'; END", "but calls dense_search"),
        (SAFE, "BEGIN PERFORM 1 FROM st1_qrels_train_knn; END", "but calls near_documents"),
        ("integer LANGUAGE plpgsql PARALLEL SAFE", "BEGIN DELETE FROM dblp; END", "is PARALLEL SAFE, but runs DELETE"),
    ],
)
def test_a_wrong_mark_is_reported(conn: psycopg.Connection, returns: str, body: str, fault: str) -> None:
    conn.execute("SET LOCAL check_function_bodies = off")
    conn.execute(FUNCTION.format(returns, body).encode())
    [found] = faults(conn)
    assert "added()" in found
    assert fault in found


@pytest.mark.parametrize(
    "body",
    [
        "BEGIN /* DELETE FROM dblp */ RETURN 1; -- set_config(…)\nEND",
        "BEGIN RAISE EXCEPTION USING MESSAGE = 'x', HINT = 'Use embed_query(text); CREATE a model.'; END",
        "BEGIN RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 0; END",
        "BEGIN RETURN (WITH knn (n) AS (SELECT 1) SELECT n FROM knn ORDER BY n FETCH FIRST 1 ROWS ONLY); END",
    ],
)
def test_text_that_is_not_run_does_not_count(conn: psycopg.Connection, body: str) -> None:
    conn.execute(FUNCTION.format(SAFE, body).encode())
    assert faults(conn) == []


@contextmanager
def in_a_worker(conn: psycopg.Connection) -> Iterator[None]:
    """Run each safe query in a worker only."""
    with conn.transaction(force_rollback=True):
        conn.execute("SET LOCAL debug_parallel_query = on")
        conn.execute("SET LOCAL parallel_leader_participation = off")
        yield


def outcome(conn: psycopg.Connection, query: str) -> object:
    """Return the rows of a query, or the SQLSTATE of its error."""
    try:
        with conn.transaction():
            return conn.execute(query.encode()).fetchall()
    except psycopg.Error as error:
        return error.sqlstate


CALLS = """
SELECT p.oid::regprocedure::text, format('SELECT * FROM %%s.%%I(%%s)', p.pronamespace::regnamespace, p.proname, (
       SELECT string_agg(format('%%s::%%s', coalesce(v.value, 'NULL'), a.type::regtype), ', ' ORDER BY a.place)
         FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, place)
         LEFT JOIN (VALUES ('text'::regtype, '''x'''), ('integer'::regtype, '1'), ('text[]'::regtype, '''{x}''')) AS v (type, value)
           ON %s AND v.type = a.type))
  FROM pg_proc p
 WHERE p.pronamespace IN ('stc'::regnamespace, 'public'::regnamespace) AND p.prokind = 'f' AND p.proparallel = 's'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
"""


@pytest.mark.slow
@pytest.mark.parametrize("given", [False, True], ids=["NULL", "values"])
def test_every_safe_function_runs_in_a_worker(conn: psycopg.Connection, given: bool) -> None:
    """The same rows or error as without workers; the error of a forbidden operation would differ."""
    calls = conn.execute(CALLS, [given]).fetchall()
    plain = {name: outcome(conn, query) for name, query in calls}
    with in_a_worker(conn):
        assert {name: outcome(conn, query) for name, query in calls} == plain
        plans = [str(outcome(conn, f"EXPLAIN {query}")) for _, query in calls]
    assert sum("Gather" in plan for plan in plans) > 300


def test_a_worker_catches_errors(conn: psycopg.Connection) -> None:
    """Blocks with EXCEPTION are safe."""
    conn.execute(FUNCTION.format(SAFE, "BEGIN RETURN 1 / 0; EXCEPTION WHEN division_by_zero THEN RETURN 7; END").encode())
    with in_a_worker(conn):
        assert "Gather" in str(outcome(conn, "EXPLAIN SELECT stc.added()"))
        assert outcome(conn, "SELECT stc.added()") == [(7,)]


def test_an_upgrade_notices_a_changed_mark(conn: psycopg.Connection) -> None:
    files = read()
    [at] = [place for place, file in enumerate(files) if file.path == "text/text_length.sql"]
    changed = SqlFile(files[at].path, files[at].text.replace(" PARALLEL SAFE", ""))
    wanted = [*files[:at], changed, *files[at + 1 :]]
    with conn.transaction():
        assert changes(conn, wanted) == ([changed], [])
        assert sync(conn, wanted) == 1
    assert [fault for fault in faults(conn) if "text_length" in fault and "mark it PARALLEL SAFE" in fault]


LAUNCHED = "SELECT parallel_workers_launched FROM pg_stat_database WHERE datname = current_database()"


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM knn((SELECT title_v FROM dblp_v WHERE id = 7), 10, effort => 0)",
        "SELECT * FROM stc.corpus_status()",
        "SELECT * FROM stc.complexity_status()",
        "SELECT * FROM stc.count_unmeasured(1)",
        "SELECT * FROM stc.bm25_portable('voices', 10, live => true)",
    ],
)
def test_workers_help(settings: Settings, conn: psycopg.Connection, query: str) -> None:
    """Workers run a part of it, and it returns the same. The costs are those of a large collection."""
    if conn.info.server_version < 180000:
        pytest.skip("PostgreSQL before 18 does not count workers")
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT g, g::text, '{}' FROM generate_series(1, 3000) g")
    texts = "SELECT g, 'voices ' || g, 'many voices' FROM generate_series(1, 3000) g"
    conn.execute(f"INSERT INTO dblp_text (id, title, abstract) {texts}".encode())
    vector = "ARRAY(SELECT sin(g * i) FROM generate_series(1, 384) i)::vector"
    conn.execute(f"INSERT INTO dblp_v (id, title_v) SELECT g, {vector} FROM generate_series(1, 3000) g".encode())
    conn.execute("ANALYZE")
    with open_session(conninfo(settings), autocommit=True) as other:
        other.execute("SET max_parallel_workers_per_gather = 0")
        plain = other.execute(query.encode()).fetchall()
    conn.execute("SET max_parallel_workers_per_gather = 1; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0")
    conn.execute("SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0")
    before = launched(conn)
    assert conn.execute(query.encode()).fetchall() == plain
    assert launched(conn) > before


def launched(conn: psycopg.Connection) -> int:
    """Return the number of workers that the database's sessions have launched."""
    conn.execute("SELECT pg_stat_force_next_flush()")
    [(number,)] = conn.execute(LAUNCHED).fetchall()
    return int(number)
