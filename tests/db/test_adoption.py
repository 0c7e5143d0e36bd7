"""A collection in a database of another application: asked for, listed, and removed without a trace."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from stcollection.cli import stc
from stcollection.db.adoption import relations
from stcollection.db.catalogue import drift
from stcollection.db.collections import collections, create, drop
from stcollection.db.connection import connect, conninfo
from stcollection.db.embedded import binaries
from stcollection.db.members import add_member, drop_member
from stcollection.db.roles import ROLES
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.stored import stored_names
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject

pytestmark = pytest.mark.slow

_numbers = itertools.count(1)
# An application that uses a bit of everything.
CRM = """
CREATE SCHEMA app;
CREATE TYPE app.kind AS ENUM ('person', 'firm');
CREATE TABLE customers (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text CHECK (name <> ''), kind app.kind);
CREATE INDEX ON customers (name);
INSERT INTO customers (name) VALUES ('Ada');
CREATE VIEW app.persons AS SELECT * FROM customers WHERE kind = 'person';
CREATE FUNCTION app.greet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER greet BEFORE INSERT ON customers FOR EACH ROW EXECUTE FUNCTION app.greet();
CREATE FUNCTION app.noted() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE EVENT TRIGGER crm_noted ON ddl_command_end EXECUTE FUNCTION app.noted();
CREATE TEXT SEARCH CONFIGURATION app.words (COPY = simple);
CREATE PUBLICATION crm FOR TABLE customers;
CREATE ROLE crm_app LOGIN;
GRANT SELECT ON customers TO crm_app;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO crm_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO crm_app;
"""
_VOLATILE = ("pg_statistic", "pg_statistic_ext_data", "pg_largeobject")
_COUNTERS = "{relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid,datfrozenxid,datminmxid,rolpassword}"
_ROW = {"pg_database": "to_jsonb(t) || jsonb_build_object('datacl', coalesce(datacl, acldefault('d', datdba)))"}


@pytest.fixture
def crm(elsewhere: Settings) -> Iterator[Settings]:
    """A database with tables of an application, on a server without any role of stcollection."""
    there = replace(elsewhere, db=f"crm_{next(_numbers)}")
    with open_session(conninfo(elsewhere), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(there.db)))
        execute(there, CRM)
        name = sql.Identifier(there.db)
        admin.execute(sql.SQL("ALTER DATABASE {} SET work_mem = '8MB'").format(name))
        admin.execute(sql.SQL("ALTER ROLE crm_app IN DATABASE {} SET work_mem = '9MB'").format(name))
        yield there
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        logins = admin.execute("SELECT rolname FROM pg_roles WHERE rolname !~ '^(pg_|postgres$)'").fetchall()
        for (login,) in logins:
            admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(login)))


def execute(there: Settings, statements: str) -> None:
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute(statements.encode())


def catalogue(there: Settings) -> dict[str, list[str]]:
    """Return every row of every table of the catalogue, except counts and statistics.

    No rights on a database (NULL) are the default ones: PostgreSQL writes these out after a GRANT and a REVOKE.
    """
    with open_session(conninfo(there), autocommit=True) as conn:
        tables = conn.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r'"
        )
        return {
            table: sorted(
                row
                for (row,) in conn.execute(
                    f"SELECT ({_ROW.get(table, 'to_jsonb(t)')} - %s::text[])::text FROM {table} t".encode(), [_COUNTERS]
                ).fetchall()
            )
            for (table,) in tables.fetchall()
            if table not in _VOLATILE
        }


def differences(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, set[str]]:
    return {table: set(rows) ^ set(before[table]) for table, rows in after.items() if rows != before[table]}


def run(there: Settings, *arguments: str, **options: str) -> Result:
    environment = {"STC_DSN": f"{there.dsn} dbname={there.db}", "STC_HOME": str(there.home)}
    return CliRunner().invoke(stc, arguments, env=environment, **options)  # type: ignore[arg-type]


def test_no_command_but_upgrade_adopt_installs_in_a_database_of_others(crm: Settings, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text('{"id": "1", "title": "voice"}\n')
    before = catalogue(crm)
    for command in (
        ["load", "--corpus", str(tmp_path / "d.jsonl")],
        ["demo"],
        ["db", "create"],
        ["db", "create", "--if-not-exists"],
        ["db", "upgrade"],
    ):
        done = run(crm, *command)
        error = done.exception
        assert isinstance(error, StateError), (command, done.output)
        assert "is not a collection, and is in use: it contains type app.kind" in str(error)
        assert f"stc --db {crm.db} db upgrade --adopt" in str(error.hint)
    assert run(crm, "db", "upgrade", "--plan").exit_code == 0
    assert run(crm, "db", "upgrade", "--adopt", input="n\n").exit_code == 1
    assert catalogue(crm) == before
    assert crm.db not in {one.name for one in collections(crm)}


def test_an_adopted_collection_is_removed_without_a_trace(crm: Settings) -> None:
    before = catalogue(crm)
    done = run(crm, "db", "upgrade", "--adopt", input="y\n")
    assert done.exit_code == 0, done.output
    assert "tables of public" in done.output
    assert crm.db in {one.name for one in collections(replace(crm, db="postgres"))}
    assert stored_names(crm, "collections", start="crm_") == [crm.db]
    with pytest.raises(UnknownObject) as unknown:
        connect(replace(crm, db=f"{crm.db}x"))
    assert f"Did you mean {crm.db!r}?" in str(unknown.value.hint)
    with pytest.raises(StateError, match=r"also contains type app\.kind"):
        drop(crm)
    with connect(crm) as conn:
        conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, 'd1', '{}')")
        conn.execute("INSERT INTO dblp_text (id, title) SELECT id, 'voice' FROM dblp")
        conn.commit()
        add_member(conn, "anna", kind="participant", team="red", password="x")  # noqa: S106
        conn.execute("CREATE TABLE anna.notes AS SELECT id FROM dblp; ALTER TABLE anna.notes OWNER TO anna")
        conn.execute("CREATE VIEW anna.mine AS SELECT * FROM documents")
        conn.commit()
        conn.execute("CALL stc.index_text()")
        conn.execute("INSERT INTO dblp_v (id, title_v) SELECT 1, array_fill(0.1, '{384}')::vector")
        conn.execute("CALL stc.index_vectors('title', effort => 1)")
        conn.commit()
    assert differences(before, catalogue(crm))["pg_db_role_setting"]
    assert run(crm, "db", "upgrade").exit_code == 0
    shown = run(crm, "db", "uninstall", "--dry-run").output
    for part in (
        "dblp 1",
        "anna.notes 1",
        "the login anna and the schema",
        "ivfflat.probes = 1",
        "vector, pg_textsearch",
        "stc_owner, stc_organiser",
    ):
        assert part in shown
    assert run(crm, "db", "uninstall", input="n\n").exit_code == 1
    done = run(crm, "db", "uninstall", "--yes")
    assert done.exit_code == 0, (done.output, done.exception)
    after = catalogue(crm)
    assert differences(before, after) == {}
    assert crm.db not in {one.name for one in collections(crm)}


@pytest.mark.parametrize("restrict", [False, True])
def test_what_others_use_or_had_before_stays(crm: Settings, restrict: bool) -> None:
    """An extension and roles that were there before, and rights of PUBLIC."""
    execute(
        crm,
        "CREATE EXTENSION vector; CREATE TABLE app.v (v vector(3)); CREATE ROLE stc_reader;GRANT CREATE ON SCHEMA public TO PUBLIC",
    )
    rights = (
        "SELECT has_database_privilege('public', current_database(), 'CONNECT'), has_schema_privilege('public', 'public', 'CREATE')"
    )
    before = catalogue(crm)
    upgrade(crm, adopt=True, restrict=restrict)
    with open_session(conninfo(crm)) as conn:
        assert conn.execute(rights).fetchone() == (not restrict, not restrict)
    assert run(crm, "db", "uninstall", "--yes").exit_code == 0
    with open_session(conninfo(crm)) as conn:
        assert conn.execute(rights).fetchone() == (True, True)
    after = catalogue(crm)
    assert differences(before, after).keys() <= (
        {"pg_database", "pg_shdepend", "pg_namespace"} if restrict else set()
    )  # the order of rights


def test_an_extension_that_others_use_since_stays(crm: Settings) -> None:
    upgrade(crm, adopt=True)
    execute(crm, "CREATE TABLE app.v (v vector(3))")
    done = run(crm, "db", "uninstall", "--yes")
    assert "the extension vector stays: column v of table app.v depends on type public.vector" in done.output
    execute(crm, "INSERT INTO app.v VALUES ('[1,2,3]')")


# How others make and drop an object that depends on the collection, and its name in the error.
DEPENDING = [
    ("CREATE VIEW app.found AS SELECT * FROM dblp", "DROP VIEW app.found", "view app.found"),
    ("ALTER TABLE customers ADD doc bigint REFERENCES dblp (id)", "ALTER TABLE customers DROP doc",
     "constraint customers_doc_fkey on table public.customers"),
    ("CREATE TABLE stc.mine (n integer)", "DROP TABLE stc.mine", "table stc.mine"),
    ("CREATE FUNCTION app.f(dblp) RETURNS integer LANGUAGE sql AS 'SELECT 1'", "DROP FUNCTION app.f",
     "function app.f(public.dblp)"),
    ("CREATE TABLE app.part () INHERITS (dblp_facts)", "DROP TABLE app.part", "table app.part"),
    ("CREATE TABLE app.d (n bigint DEFAULT nextval('dblp_id_seq'))", "DROP TABLE app.d",
     "default value for column n of table app.d"),
    ("CREATE VIEW app.scores AS SELECT * FROM ndcg('{}', 'x', 10)", "DROP VIEW app.scores", "view app.scores"),
    ("CREATE MATERIALIZED VIEW app.m AS SELECT count(*) FROM documents", "SELECT", "materialized view app.m"),
]  # fmt: skip


def test_objects_of_others_that_depend_on_the_collection_are_named(crm: Settings, subtests: pytest.Subtests) -> None:
    upgrade(crm, adopt=True)
    for create_it, drop_it, named in DEPENDING:
        with subtests.test(named):
            execute(crm, create_it)
            before = catalogue(crm) if drop_it == "SELECT" else None
            error = run(crm, "db", "uninstall", "--yes").exception
            assert isinstance(error, StcError)
            assert named in error.message
            assert before is None or catalogue(crm) == before
            execute(crm, drop_it)


def test_roles_and_logins_that_another_collection_uses_stay(crm: Settings) -> None:
    other = replace(crm, db=f"{crm.db}_other")
    upgrade(crm, adopt=True)
    create(other)
    try:
        for one in (crm, other):
            with connect(one) as conn:
                add_member(conn, "rita", kind="reader", password="x")  # noqa: S106
        output = run(crm, "db", "uninstall", "--yes").output
        for name in ("role stc_reader", "role stc_owner", "login rita"):
            assert f"note: the {name} stays" in output
        with open_session(conninfo(other), user="rita", password="x") as own:  # noqa: S106
            assert own.execute("SELECT count(*) FROM dblp").fetchone() == (0,)
    finally:
        drop(other)


def test_plan_lists_what_is_created(elsewhere: Settings) -> None:
    new = replace(elsewhere, db=f"planned_{next(_numbers)}")
    shown = run(new, "db", "create", "--plan").output
    with pytest.raises(StcError):
        connect(new)
    create(new)
    try:
        with connect(new) as conn:
            tables = conn.execute(
                "SELECT relnamespace::regnamespace::text, array_agg(relname::text ORDER BY relname) FROM pg_class"
                " WHERE relkind IN ('r', 'p') AND oid >= 16384 AND relnamespace::regnamespace::text"
                " IN ('public', 'stc', 'stc_all') GROUP BY 1"
            ).fetchall()
            assert relations() == dict(tables)
            counts = conn.execute(
                "SELECT kind, count(*) FROM stc.collection_objects() WHERE kind = 'ROUTINE' GROUP BY 1"
            ).fetchall()
        words = " ".join(shown.split())
        assert all(name in words for _, names in tables for name in names)
        assert sum(int(n) for n in words.split("functions ")[1].split(" type,")[0].split() if n.isdigit()) == counts[0][1]
    finally:
        drop(new)


def test_an_ordinary_role_uses_an_empty_database_that_an_administrator_made(elsewhere: Settings) -> None:
    """Without the right to create databases or roles."""
    name = f"premade_{next(_numbers)}"
    there = replace(elsewhere, db=name)
    own = replace(there, dsn=f"{elsewhere.dsn} user=ordinary password=x")
    with open_session(conninfo(elsewhere), autocommit=True) as admin:
        admin.execute("CREATE ROLE ordinary LOGIN PASSWORD 'x'")
        try:
            with pytest.raises(StateError, match="may not create the database") as error:
                create(own)
            statement = str(error.value.hint).partition("create it: ")[2].partition(" Then")[0]
            admin.execute(statement.encode())
            execute(there, "CREATE EXTENSION vector SCHEMA public")
            before = catalogue(there)
            assert run(own, "db", "create").output == f"created the collection {name!r}\n"
            with pytest.raises(BadArgument, match="already exists"):
                create(own)
            assert name in {one.name for one in collections(replace(own, db="postgres"))}
            with pytest.raises(StateError, match="may not create databases"):
                run(own, "db", "reset", "--yes", catch_exceptions=False)  # type: ignore[arg-type]
            assert run(own, "db", "uninstall", "--yes").exit_code == 0
            assert differences(before, catalogue(there)) == {}
            assert run(own, "db", "upgrade").exit_code == 0
            drop(own)
        finally:
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
            admin.execute("DROP ROLE ordinary")


def test_logins_of_two_collections(elsewhere: Settings) -> None:
    """A dropped collection offers to drop the logins that only it used; a user dropped from one still connects to the other."""
    one, two = (replace(elsewhere, db=f"logins_{next(_numbers)}") for _ in range(2))
    create(one)
    create(two)
    with open_session(conninfo(elsewhere), autocommit=True) as admin:
        try:
            for there, names in ((one, ("anna", "rita", "ria")), (two, ("rita", "ria"))):
                for name in names:
                    with connect(there) as conn:
                        add_member(conn, name, kind="reader", password="x")  # noqa: S106
            with connect(one) as conn:
                assert not drop_member(conn, "ria")
            with open_session(conninfo(two), user="ria", password="x") as own:  # noqa: S106
                assert own.execute("SELECT count(*) FROM dblp").fetchone() == (0,)
            with connect(two) as conn:
                assert drop_member(conn, "ria")
            done = run(one, "db", "drop", one.db, input="y\ny\n")
            assert f"Also drop the logins that only {one.db!r} used: anna?" in done.output
            logins = "SELECT rolname FROM pg_roles WHERE rolname IN ('anna', 'rita')"
            assert admin.execute(logins).fetchall() == [("rita",)]
            assert "logins that only it used stay on the server: rita" in run(two, "db", "drop", two.db, "--yes").output
            assert admin.execute(logins).fetchall() == [("rita",)]
        finally:
            for statement in (f"DROP DATABASE IF EXISTS {one.db}", f"DROP DATABASE IF EXISTS {two.db}"):
                admin.execute(statement.encode())
            for role in ("anna", "rita", *ROLES):
                admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))


def test_a_backup_with_pg_dump_as_an_ordinary_owner(elsewhere: Settings, tmp_path: Path) -> None:
    """As in docs/howto/administer.md: hidden judgments are in the copy, and an upgrade gives the roles their rights."""
    name, programs = f"plain_{next(_numbers)}", binaries()
    own = replace(elsewhere, db=name, dsn=f"{elsewhere.dsn} user=ordinary password=x")
    copy = replace(own, db=f"{name}_copy")
    with open_session(conninfo(elsewhere), autocommit=True) as admin:
        for role in ROLES:
            admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))
        admin.execute("CREATE ROLE ordinary LOGIN CREATEROLE PASSWORD 'x'")
        try:
            for there in (own, copy):
                admin.execute(sql.SQL("CREATE DATABASE {} OWNER ordinary TEMPLATE template0").format(sql.Identifier(there.db)))
                execute(replace(elsewhere, db=there.db), "CREATE EXTENSION vector SCHEMA public")
            assert create(own)
            execute(
                own,
                "SET search_path = stc_all, public; INSERT INTO dblp (id, docno, doc) VALUES (1, 'd1', '{}');"
                "INSERT INTO st1_queries (query, text) VALUES ('q', 'voice'); INSERT INTO qrels_editions (edition) VALUES ('e');"
                "INSERT INTO qrels_judgments (edition, query, doc, rel, origin) VALUES (1, 1, 1, 1, 'human');"
                "SELECT stc.hide_edition('e')",
            )
            host = ["-h", str(conninfo_to_dict(own.dsn or "")["host"]), "-U", "ordinary"]
            ours = ["-n", "public", "-n", "stc", "-n", "stc_all", "-e", "*"]
            dumped = [str(programs / "pg_dump"), *host, "-Fc", *ours, "-f", str(tmp_path / "x"), name]
            subprocess.run(dumped, check=True)
            restored = [str(programs / "pg_restore"), *host, "--no-owner", "-d", copy.db, str(tmp_path / "x")]
            errors = subprocess.run(restored, check=False, capture_output=True, text=True).stderr
            assert "errors ignored on restore: 2\n" in errors
            assert 'schema "public" already exists' in errors
            assert "must be owner of extension vector" in errors
            assert copy.db in {one.name for one in collections(replace(own, db="postgres"))}
            upgrade(copy, restrict=True)
            with connect(copy) as conn:
                assert drift(conn) == []
                judged = conn.execute("SELECT rel FROM stc_all.qrels_judgments").fetchall()
                assert (judged, conn.execute("SELECT count(*) FROM public.qrels_judgments").fetchone()) == ([(1,)], (0,))
                assert conn.execute("SELECT relowner::regrole::text FROM pg_class WHERE relname = 'dblp'").fetchone() == (
                    "stc_owner",
                )
            drop(copy)
        finally:
            for there in (own, copy):
                admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(there.db)))
            for role in (*ROLES, "ordinary"):
                admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))
