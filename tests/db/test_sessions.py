"""Sessions: one module opens them, and they have the same settings whatever the role, the database or the environment sets."""

from __future__ import annotations

import ast
import itertools
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import stcollection
from stcollection.db import sessions
from stcollection.db.backup import programs
from stcollection.db.connection import connect, conninfo
from stcollection.db.sessions import SETTINGS, open_session, options_of, pinned
from stcollection.db.settings import Settings
from stcollection.errors import DatabaseError
from tests.acceptance.conftest import runner

pytestmark = pytest.mark.slow

PACKAGE = Path(stcollection.__file__).parent
OPENS = {"connect", "connect_start", "create_engine", "create_async_engine", "create_pool"}
CLASSES = {"ConnectionPool", "NullConnectionPool", "AsyncConnectionPool", "AsyncNullConnectionPool"}
OF = {"psycopg", "Connection", "AsyncConnection", "PGconn", "asyncpg", "psycopg2", "sqlalchemy"}

# What a role or database may set, each unlike our setting.
HOSTILE = {
    "search_path": "own, public, pg_catalog",
    "row_security": "off",
    "DateStyle": "German, DMY",
    "IntervalStyle": "iso_8601",
    "extra_float_digits": "-10",
    "bytea_output": "escape",
    "standard_conforming_strings": "off",
    "array_nulls": "off",
    "transform_null_equals": "on",
    "quote_all_identifiers": "on",
    "xmloption": "document",
    "lc_numeric": "POSIX",
    "gin_fuzzy_search_limit": "1",
    "default_transaction_isolation": "serializable",
}
SHOWN = {**SETTINGS, "client_encoding": "UTF8"}

_names = itertools.count(1)


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of a module's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def opened(path: Path) -> Iterator[str]:
    """Yield the places of a module that open a connection."""
    for node in nodes(path):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
        of = ast.unparse(function.value).rpartition(".")[2] if isinstance(function, ast.Attribute) else ""
        if name == "create_engine" and any(keyword.arg == "creator" for keyword in node.keywords):
            continue  # the creator opens the connection
        if name in CLASSES or name in OPENS - {"connect"} or (name == "connect" and of in OF):
            yield f"{path.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(function)}"


def test_one_module_opens_connections() -> None:
    found = [place for path in sorted(PACKAGE.rglob("*.py")) for place in opened(path)]
    assert {place.partition(":")[0] for place in found} == {"db/sessions.py"}, found


def test_no_module_imports_a_function_that_opens_connections() -> None:
    """An import of the name alone would hide it from the search above."""
    for path in PACKAGE.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module in ("psycopg", "psycopg_pool", "psycopg.pq"):
                names = {one.name for one in node.names} & {"connect", *CLASSES, "PGconn", "AsyncConnection"}
                assert not names or path == Path(sessions.__file__) or _only_typed(path, names), (path, names)


def _only_typed(path: Path, names: set[str]) -> bool:
    """Return True if a module uses the names as types, and for methods of a pool that is open."""
    return not any(isinstance(node, ast.Call) and ast.unparse(node.func) in names for node in nodes(path))


@pytest.fixture
def hostile(conn: psycopg.Connection, settings: Settings) -> Iterator[str]:
    """The connection string of a login whose role sets everything otherwise."""
    name = f"hostile_{os.getpid()}_{next(_names)}"
    role = sql.Identifier(name)
    conn.execute(sql.SQL("CREATE ROLE {} LOGIN SUPERUSER").format(role))
    for setting, value in HOSTILE.items():
        if setting == "search_path":
            conn.execute(sql.SQL("ALTER ROLE {} SET search_path = own, public, pg_catalog").format(role))
        else:
            conn.execute(sql.SQL("ALTER ROLE {} SET {} = {}").format(role, sql.Identifier(setting), value))
    conn.execute(sql.SQL("ALTER ROLE {} SET client_encoding = 'LATIN1'").format(role))
    yield make_conninfo(conninfo(settings), user=name)
    conn.execute(sql.SQL("DROP OWNED BY {}").format(role))
    conn.execute(sql.SQL("DROP ROLE {}").format(role))


def shown(conn: psycopg.Connection) -> dict[str, str]:
    rows = conn.execute("SELECT n, current_setting(n) FROM unnest(%s::text[]) n", [list(SHOWN)]).fetchall()
    return dict(rows)


def test_a_role_changes_none_of_our_settings(hostile: str) -> None:
    with psycopg.connect(hostile, autocommit=True) as conn:
        assert all(shown(conn)[name] != value for name, value in SHOWN.items()), "the test sets each of them otherwise"
    with open_session(hostile, autocommit=True) as conn:
        assert shown(conn) == SHOWN
        conn.execute("SET search_path = own")
        conn.execute("RESET ALL")
        conn.execute("DISCARD ALL")
        assert shown(conn) == SHOWN


def test_the_environment_changes_none_of_our_settings(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options = " ".join(f"-c {name}={value.replace(' ', chr(92) + ' ')}" for name, value in HOSTILE.items())
    monkeypatch.setenv("PGOPTIONS", f"{options} -c work_mem=5MB")
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    monkeypatch.setenv("PGDATESTYLE", "German")
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")
    with open_session(dsn) as conn:
        assert shown(conn) == SHOWN
        assert conn.execute("SHOW work_mem").fetchone() == ("5MB",), "what we do not need is the user's"
        assert conn.execute("SHOW timezone").fetchone() == ("Asia/Tokyo",)
    with open_session(dsn, limits={"TimeZone": "UTC"}) as conn:
        assert conn.execute("SHOW timezone").fetchone() == ("UTC",)


def test_a_database_changes_none_of_our_settings(settings: Settings, conn: psycopg.Connection, dsn: str) -> None:
    for setting, value in {**HOSTILE, "client_encoding": "LATIN1"}.items():
        literal = sql.SQL("own, public") if setting == "search_path" else sql.Literal(value)  # each name is a schema
        conn.execute(sql.SQL("ALTER DATABASE {} SET {} = {}").format(sql.Identifier(settings.db), sql.Identifier(setting), literal))
    with psycopg.connect(dsn, autocommit=True) as theirs:
        assert all(shown(theirs)[name] != value for name, value in SHOWN.items()), "the test sets each of them otherwise"
    with open_session(dsn, autocommit=True) as ours:
        assert shown(ours) == SHOWN


def test_psql_and_programs_of_postgresql_have_them(settings: Settings, hostile: str) -> None:
    """But for the path, which is that of psql; functions of the collection also run there."""
    theirs = Settings(db=settings.db, home=settings.home, dsn=hostile)
    query = f"SELECT name || '=' || current_setting(name) FROM pg_settings WHERE name = ANY ('{{{','.join(SHOWN)}}}')"
    options = " ".join(f"-c {name}={value.replace(' ', chr(92) + ' ')}" for name, value in HOSTILE.items())
    psql = stc(theirs, "db", "psql", "--owner", "-XAtc", query, PGOPTIONS=options, PGDATESTYLE="German")
    assert psql.returncode == 0, psql.stderr
    told = dict(line.split("=", 1) for line in psql.stdout.splitlines())
    assert told.pop("search_path") == HOSTILE["search_path"]
    assert told == {name: value for name, value in SHOWN.items() if name != "search_path"}
    variables, _ = programs.environment(hostile)
    assert variables["PGCLIENTENCODING"] == "UTF8"
    assert "-c array_nulls=on" in variables["PGOPTIONS"]


def test_options_of_the_user_are_kept(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = make_conninfo(dsn, options="-c work_mem=6MB -c search_path=own")
    with open_session(given) as conn:
        assert conn.execute("SHOW work_mem").fetchone() == ("6MB",)
        assert shown(conn) == SHOWN
    with sessions.another_session(open_session(given)) as conn:
        assert conn.execute("SHOW work_mem").fetchone() == ("6MB",)
        assert shown(conn) == SHOWN
    (tmp_path / "services").write_text("[mine]\noptions=-c work_mem=7MB\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    with open_session(make_conninfo(dsn, service="mine")) as conn:
        assert conn.execute("SHOW work_mem").fetchone() == ("7MB",)
    monkeypatch.setenv("PGSERVICE", "mine")
    assert options_of(dsn) == "-c work_mem=7MB"


def test_pinning_twice_is_pinning_once(dsn: str) -> None:
    assert conninfo_to_dict(pinned(pinned(dsn))) == conninfo_to_dict(pinned(dsn))


def test_time_limits_of_an_administrator_count(conn: psycopg.Connection, settings: Settings, dsn: str) -> None:
    conn.execute(sql.SQL("ALTER DATABASE {} SET lock_timeout = '7s'").format(sql.Identifier(settings.db)))
    conn.execute(sql.SQL("ALTER DATABASE {} SET statement_timeout = '70s'").format(sql.Identifier(settings.db)))
    with open_session(dsn) as own:
        assert own.execute("SELECT current_setting('lock_timeout'), current_setting('statement_timeout')").fetchone() == (
            "7s",
            "70s",
        )
    with open_session(dsn, limits={"statement_timeout": 5000}) as own:
        assert own.execute("SHOW statement_timeout").fetchone() == ("5s",)


def test_a_refused_connection_has_its_sqlstate(settings: Settings, dsn: str, conn: psycopg.Connection) -> None:
    with pytest.raises(psycopg.OperationalError) as missing:
        open_session(dsn, dbname="there is none")
    assert missing.value.sqlstate == "3D000"
    with pytest.raises(psycopg.OperationalError) as unknown:
        open_session(dsn, user="nobody of this name")
    assert unknown.value.sqlstate == "28000"
    conn.execute(sql.SQL("ALTER DATABASE {} CONNECTION LIMIT 0").format(sql.Identifier(settings.db)))
    conn.execute("CREATE ROLE one_of_many LOGIN")
    try:
        with pytest.raises(psycopg.OperationalError) as full:
            open_session(dsn, user="one_of_many")
        assert full.value.sqlstate == "53300"
    finally:
        conn.execute("DROP ROLE one_of_many")


def stc(settings: Settings, *arguments: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    return runner(settings, env=env)(*arguments)


@pytest.fixture
def accents(tmp_path: Path) -> Path:
    documents = ['{"id":"é1","title":"Café ünïcode – test","text":"naïve Größe 日本"}', '{"id":"d2","title":"Plain"}']
    (tmp_path / "uni.jsonl").write_text("\n".join(documents) + "\n")
    (tmp_path / "uniq.tsv").write_text("qid\tquery\nqé\tcafé größe\n")
    (tmp_path / "uni.qrels").write_text("qé 0 é1 1\nqé 0 d2 0\n")
    (tmp_path / "uni.run").write_text("qé Q0 é1 1 2.0 tägé\nqé Q0 d2 2 1.0 tägé\n")
    return tmp_path


@pytest.mark.parametrize("encoding", ["LATIN1", "GBK"])
def test_the_client_s_encoding_changes_no_name(settings: Settings, accents: Path, conn: psycopg.Connection, encoding: str) -> None:
    files = [accents / name for name in ("uni.jsonl", "uniq.tsv", "uni.qrels")]
    loaded = stc(settings, "load", *files, PGCLIENTENCODING=encoding)
    assert (loaded.returncode, "Traceback" in loaded.stderr) == (0, False), loaded.stderr
    run = stc(settings, "runs", "import", accents / "uni.run", "--name", "r1", PGCLIENTENCODING=encoding)
    assert run.returncode == 0, run.stderr
    rows = conn.execute(
        "SELECT q.query, d.docno FROM stc.st1_rankings k JOIN st1_queries q ON q.id = k.query JOIN dblp d ON d.id = k.doc"
    )
    assert sorted(rows.fetchall()) == [("qé", "d2"), ("qé", "é1")]
    assert conn.execute("SELECT abstract FROM dblp_text ORDER BY abstract NULLS LAST LIMIT 1").fetchone() == ("naïve Größe 日本",)
    scores = stc(settings, "score", accents / "uni.run", accents / "uni.qrels", PGCLIENTENCODING=encoding, PYTHONIOENCODING="utf-8")
    assert scores.returncode == 0, scores.stderr


@pytest.mark.parametrize("style", ["German", "SQL,DMY"])
def test_the_date_style_stops_no_command(settings: Settings, accents: Path, conn: psycopg.Connection, style: str) -> None:
    name = sql.Identifier(settings.db)
    conn.execute(sql.SQL("ALTER DATABASE {} SET DateStyle = {}").format(name, style))
    conn.execute(sql.SQL("ALTER DATABASE {} SET IntervalStyle = iso_8601").format(name))
    files = [accents / name for name in ("uni.jsonl", "uniq.tsv", "uni.qrels")]
    commands: list[tuple[str | Path, ...]] = [
        ("load", *files),
        ("runs", "import", accents / "uni.run", "--name", "r1"),
        ("runs", "list"),
        ("qrels", "editions"),
        ("corpus", "files"),
        ("text", "status"),
    ]
    for arguments in commands:
        done = stc(settings, *arguments, PGOPTIONS=f"-c datestyle={style}", PGDATESTYLE=style)
        assert done.returncode == 0, (arguments, done.stderr)


def test_own_objects_of_a_login_are_not_used(settings: Settings, conn: psycopg.Connection, hostile: str) -> None:
    conn.execute("CREATE SCHEMA own")
    conn.execute("CREATE VIEW own.st1_runs AS SELECT 'false'::text AS run")
    conn.execute("CREATE FUNCTION own.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$SELECT 'own'$$")
    with psycopg.connect(hostile) as theirs:
        assert theirs.execute("SELECT run, set_config('work_mem', '1MB', false) FROM st1_runs").fetchone() == ("false", "own")
    with open_session(hostile) as ours:
        assert ours.execute("SELECT run FROM st1_runs").fetchone() is None
        assert ours.execute("SELECT set_config('work_mem', '1MB', false)").fetchone() == ("1MB",)
        ours.execute("CREATE TEMPORARY TABLE documents (doc text)")
        assert ours.execute("SELECT to_regclass('documents')::text").fetchone() == ("documents",), "the one of public"


def test_a_full_server_is_no_wrong_password(settings: Settings, conn: psycopg.Connection, dsn: str) -> None:
    """Before PostgreSQL asks for a password (too many clients), and after it (reserved slots, limits of a role or database)."""
    held = []
    try:
        while True:
            held.append(psycopg.connect(dsn))
    except psycopg.OperationalError:
        with pytest.raises(DatabaseError, match="too many clients") as full:
            connect(settings)
        done = stc(settings, "runs", "list")
    finally:
        for one in held:
            one.close()
    assert (full.value.exit_code, full.value.sqlstate, done.returncode) == (5, "53300", 5)
    assert "no free connections" in str(full.value.hint)
    assert "no free connections" in done.stderr
    assert "password" not in done.stderr


def test_a_limit_of_connections_is_no_wrong_password(settings: Settings, conn: psycopg.Connection, dsn: str) -> None:
    conn.execute(sql.SQL("ALTER DATABASE {} CONNECTION LIMIT 0").format(sql.Identifier(settings.db)))
    conn.execute("CREATE ROLE one_too_many LOGIN")
    theirs = Settings(db=settings.db, home=settings.home, dsn=make_conninfo(dsn, user="one_too_many"))
    try:
        with pytest.raises(DatabaseError, match="too many connections for database") as full:
            connect(theirs)
        assert (full.value.exit_code, full.value.sqlstate) == (5, "53300")
        assert "no free connections" in str(full.value.hint)
        done = stc(theirs, "runs", "list")
        assert done.returncode == 5
        assert "password" not in done.stderr
    finally:
        conn.execute("DROP ROLE one_too_many")
