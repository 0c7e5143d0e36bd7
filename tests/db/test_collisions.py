"""Upgrades of a shared database touch only objects of the collection, or change nothing."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql

from stcollection.db.catalogue import drift
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import revision
from stcollection.db.upgrade import upgrade
from stcollection.errors import StateError
from tests.db.conftest import NewName
from tests.groups import db

pytestmark = pytest.mark.slow

# One object of each kind with our names, and two functions that share only a name.
THEIRS = """
CREATE TABLE dblp (isbn text);
CREATE TABLE alembic_version (version_num text);
CREATE VIEW rankings AS SELECT 1 AS n;
CREATE TABLE shelf (n integer);
CREATE INDEX st1_scores_run_idx ON shelf (n);
CREATE SEQUENCE dblp_id_seq;
CREATE TYPE ranked AS ENUM ('first');
CREATE DOMAIN st1_topics AS text;
CREATE FUNCTION my_team() RETURNS text LANGUAGE sql AS 'SELECT ''mine''';
CREATE FUNCTION member_team() RETURNS text LANGUAGE sql AS 'SELECT ''mine''';
CREATE SCHEMA stc CREATE TABLE notes (n integer);
CREATE FUNCTION leaderboard(x integer) RETURNS text LANGUAGE sql AS 'SELECT ''mine''';
CREATE FUNCTION ndcg(a integer) RETURNS text LANGUAGE sql AS 'SELECT ''mine''';
"""
COLLISIONS = [
    "function my_team()", "index st1_scores_run_idx", "schema stc", "sequence dblp_id_seq", "table alembic_version", "table dblp",
    "type ranked", "type st1_topics", "view rankings",
]  # fmt: skip
_EVERYTHING = """
SELECT 'relation', oid::regclass::text, relacl::text, relowner FROM pg_class
WHERE relnamespace::regnamespace::text IN ('public', 'stc')
UNION ALL SELECT 'routine', oid::regprocedure::text, proacl::text, proowner FROM pg_proc
WHERE pronamespace::regnamespace::text IN ('public', 'stc')
UNION ALL SELECT 'extension', extname, '', extowner FROM pg_extension
UNION ALL SELECT 'schema', nspname, nspacl::text, nspowner FROM pg_namespace WHERE nspname !~ '^pg_'
UNION ALL SELECT 'database', datname, datacl::text, datdba FROM pg_database WHERE datname = current_database()
ORDER BY 1, 2
"""


@pytest.fixture
def theirs(admin: psycopg.Connection, new_name: NewName) -> Iterator[Settings]:
    """Return the database of another application."""
    there = new_name()
    name = sql.Identifier(there.db)
    admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(name))
    yield there
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))


def everything(there: Settings) -> list[tuple[object, ...]]:
    with open_session(conninfo(there)) as conn:
        return conn.execute(_EVERYTHING).fetchall()


def execute(there: Settings, statements: str) -> None:
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute(statements.encode())


def test_all_collisions_are_named_and_nothing_is_changed(theirs: Settings) -> None:
    execute(theirs, THEIRS)
    before = everything(theirs)
    with pytest.raises(StateError) as error:
        upgrade(theirs, adopt=True)
    assert error.value.sqlstate == "IR414"
    assert error.value.message.endswith(f"stcollection did not create have names it needs: {', '.join(COLLISIONS)}")
    assert "Nothing was changed" in (error.value.hint or "")
    assert everything(theirs) == before


def test_functions_that_share_only_a_name_stay(theirs: Settings) -> None:
    execute(theirs, "".join(line for line in THEIRS.splitlines(True) if "(x integer)" in line or "(a integer)" in line))
    for force in (False, True):
        upgrade(theirs, adopt=True, force=force)
        with open_session(conninfo(theirs)) as conn:
            assert conn.execute("SELECT leaderboard(1), ndcg(1)").fetchone() == ("mine", "mine")
            assert conn.execute(
                "SELECT array_agg(DISTINCT proowner::regrole::text) FROM pg_proc WHERE prosrc = 'SELECT ''mine'''"
            ).fetchone() == (["postgres"],)
            assert drift(conn) == []


def test_an_object_that_came_since_stops_the_next_upgrade(theirs: Settings) -> None:
    """A later version creates a function whose name another user has taken meanwhile."""
    upgrade(theirs, adopt=True)
    execute(theirs, "DELETE FROM stc_objects WHERE file = 'evaluation/member_team.sql'")
    with pytest.raises(StateError, match=r"has a name it needs: function stc\.member_team\(\)$"):
        upgrade(theirs, adopt=True)


def test_rights_of_public_stay_in_a_database_of_others(theirs: Settings) -> None:
    execute(theirs, "GRANT CREATE ON SCHEMA public TO PUBLIC")
    query = (
        "SELECT has_database_privilege('public', current_database(), 'CONNECT, TEMPORARY'),"
        " has_schema_privilege('public', 'public', 'CREATE')"
    )
    step = upgrade(theirs, adopt=True)
    with open_session(conninfo(theirs)) as conn:
        assert conn.execute(query).fetchone() == (True, True)
    assert any("PUBLIC may connect and create objects in the schema public" in note for note in step.notes)
    step = upgrade(theirs, adopt=True, restrict=True)
    with open_session(conninfo(theirs)) as conn:
        assert conn.execute(query).fetchone() == (False, False)
    assert not any("PUBLIC" in note for note in step.notes)


def test_an_alembic_version_of_another_application_is_no_revision(theirs: Settings) -> None:
    execute(theirs, "CREATE TABLE alembic_version AS SELECT '8f2a' AS version_num")
    with open_session(conninfo(theirs)) as conn:
        assert revision(conn) is None
    with pytest.raises(StateError, match="table alembic_version"):
        upgrade(theirs, adopt=True)


def test_a_schema_of_the_users_name_gets_no_table(theirs: Settings) -> None:
    """PostgreSQL searches the schema with the user's name first."""
    execute(theirs, "CREATE SCHEMA postgres")
    upgrade(theirs, adopt=True)
    with open_session(conninfo(theirs)) as conn:
        assert conn.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 'postgres'::regnamespace").fetchone() == (0,)


def test_a_dry_run_prints_every_statement_and_changes_nothing(theirs: Settings) -> None:
    before = everything(theirs)
    done = CliRunner().invoke(db, ["upgrade", "--dry-run"], obj=theirs)
    assert done.exit_code == 0, done.output
    for statement in (
        "CREATE EXTENSION IF NOT EXISTS vector;",
        "CREATE TABLE dblp",
        "CREATE OR REPLACE FUNCTION member_team()",
        "INSERT INTO public.stc_objects",
        "CREATE SCHEMA stc;",
        "SET SCHEMA stc",
        "ALTER TABLE dblp OWNER TO stc_owner;",
        "CREATE POLICY see_team ON st1_runs",
        "GRANT SELECT (doc, docno, id, ",
    ):
        assert statement in done.stdout, statement
    assert "%s" not in done.stdout.split("INSERT INTO public.stc_objects")[1].split("\n")[0]
    assert everything(theirs) == before
    upgrade(theirs, adopt=True)
    assert CliRunner().invoke(db, ["upgrade", "--dry-run"], obj=theirs).stdout.startswith("-- ")


def test_default_privileges_of_others_open_nothing(theirs: Settings, admin: psycopg.Connection) -> None:
    """A right on a partition would bypass the policies of hidden editions; a right on a sequence would allow setting ids."""
    name = f"app_{theirs.db}"
    app = sql.Identifier(name)
    admin.execute(sql.SQL("CREATE ROLE {}").format(app))
    try:
        execute(
            theirs,
            "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO {r}, PUBLIC; ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO {r};"
            " ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO {r}, PUBLIC;"
            " CREATE TABLE mine (x integer)".replace("{r}", app.as_string()),
        )
        upgrade(theirs, adopt=True)
        with open_session(conninfo(theirs), autocommit=True) as conn:
            # A right on a table, view or sequence, or on a function that runs as its owner.
            open_ = conn.execute(
                "SELECT DISTINCT c.relname FROM pg_class c, aclexplode(c.relacl) a"
                " WHERE relnamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
                " AND a.grantee IN (0, (SELECT r.oid FROM pg_roles r WHERE r.rolname = %(r)s))"
                " UNION ALL SELECT p.proname FROM pg_proc p WHERE prosecdef"
                " AND pronamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
                " AND has_function_privilege(%(r)s, p.oid, 'EXECUTE') AND proname <> 'my_team'",
                {"r": name},
            ).fetchall()
            assert open_ == [("mine",)]
            # Manual grants stay, even if an upgrade replaces the object.
            conn.execute(sql.SQL("GRANT SELECT ON qrels, st1_topics TO {}").format(app))
            conn.execute(sql.SQL("GRANT EXECUTE ON FUNCTION ndcg(text[], text, integer, boolean) TO {}").format(app))
            conn.execute("UPDATE stc_objects SET fingerprint = ''")
        upgrade(theirs, adopt=True, force=True)
        with open_session(conninfo(theirs)) as conn:
            assert conn.execute(
                "SELECT has_table_privilege(%(r)s, 'qrels', 'SELECT'), has_table_privilege(%(r)s, 'st1_topics', 'SELECT'),"
                " has_function_privilege(%(r)s, 'ndcg(text[],text,integer,boolean)', 'EXECUTE')",
                {"r": name},
            ).fetchone() == (True, True, True)
    finally:
        execute(theirs, "DROP OWNED BY {}".replace("{}", app.as_string()))
        admin.execute(sql.SQL("DROP ROLE {}").format(app))


def test_status_looks_at_our_tables_where_the_search_path_leads_elsewhere(theirs: Settings) -> None:
    upgrade(theirs, adopt=True)
    execute(theirs, "CREATE SCHEMA other; CREATE TABLE other.dblp (isbn text)")
    execute(theirs, f'ALTER DATABASE "{theirs.db}" SET search_path = other, public')
    ran = CliRunner().invoke(db, ["status"], obj=theirs)
    assert ran.exit_code == 0, ran.output
    assert "the objects belong to stc_owner" in ran.output
