"""Functions with the owner's rights: each states why it is safe and reads no object that a caller could create."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

import stcollection
from stcollection.db.objects import ALL_ROWS, load
from stcollection.errors import StateError
from tests.roles.seen import value
from tests.roles.worlds import Login, collection, store_run
from tools.reference_sql import objects

pytestmark = pytest.mark.slow

_ = collection
DEFINERS = (
    "SELECT p.proname, p.oid::regprocedure::text, p.prorettype = 'trigger'::regtype, coalesce(p.proconfig, '{}'),"
    "       has_function_privilege('public', p.oid, 'EXECUTE'), p.proowner::regrole::text, l.lanname"
    "  FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.prosecdef AND NOT EXISTS ("
    "       SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
)


def faults(conn: psycopg.Connection) -> list[str]:
    """Faults of the functions in the database that run with their owner's rights."""
    reasons = {one.name: one.safe_because for one in objects() if one.definer}
    found = []
    for name, signature, trigger, settings, public, owner, language in conn.execute(DEFINERS.encode()).fetchall():
        path = [one.partition("=")[2] for one in settings if one.startswith("search_path=")]
        if not reasons.get(name):
            found.append(f"{signature}: its file has no line 'Safe because: …'")
        if path != [ALL_ROWS]:
            found.append(f"{signature}: its search_path is {path}, not {ALL_ROWS}")
        if public:
            found.append(f"{signature}: PUBLIC may execute it")
        if owner != "stc_owner":
            found.append(f"{signature}: it belongs to {owner}")
        if language not in ("sql", "plpgsql"):
            found.append(f"{signature}: it is written in {language}")
        for role in ("stc_participant", "stc_reader", "stc_organiser"):
            if value(conn, "SELECT has_function_privilege(%s, %s, 'EXECUTE')", role, signature) is trigger:
                found.append(f"{signature}: {role} may {'' if trigger else 'not '}execute it")
    return found


def test_every_function_with_the_owners_rights_is_safe_and_says_why(conn: psycopg.Connection) -> None:
    assert faults(conn) == []
    there = {row[0] for row in conn.execute(DEFINERS.encode()).fetchall()}
    assert there == {one.name for one in objects() if one.definer}
    assert len(there) > 10


# Statements that a command or the page sends in its own session, and why each may read the name of that session.
SESSIONS = {
    "db/backup/inventory.py": "names the user in an error",
    "db/members.py": "a name that no login may have",
    "db/own_schema.py": "refuses a schema of others for the search path of the user's own psql",
    "db/waits.py": "shows a user only the own statements",
    "explore/access/logins.py": "refuses logins with further rights",
    "mcp/login.py": "refuses logins with further rights",
    "qrels/expand.py": "parallel sessions cannot take over SET ROLE",
    "retrieval/run.py": "parallel sessions cannot take over SET ROLE",
}


def test_none_of_them_trusts_the_session() -> None:
    """In autovacuum, session_user is a superuser. Inside a function with the owner's rights, current_user is the owner."""
    package = Path(stcollection.__file__).parent
    using = [path for path in package.rglob("*.py") if "session_user" in path.read_text(encoding="utf-8")]
    assert {path.relative_to(package).as_posix() for path in using} == SESSIONS.keys()
    for file in load():
        text = re.sub(r"--[^\n]*", "", file.text)
        assert not re.search(r"\bsession_user\b|current_setting\(\s*'role'", text), file.path
        if "SECURITY DEFINER" in text:
            assert not re.search(r"\bcurrent_user\b|\buser\b|current_role|my_team|member_team", text), file.path


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("CREATE FUNCTION public.mine() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'", "has no line"),
        ("ALTER FUNCTION stc.run_taken(text) SET search_path = pg_temp, public", "search_path"),
        ("ALTER FUNCTION stc.run_taken(text) RESET search_path", "search_path"),
        ("GRANT EXECUTE ON FUNCTION stc.run_taken(text) TO PUBLIC", "PUBLIC may"),
        ("GRANT EXECUTE ON FUNCTION stc.forget_vectors() TO stc_participant", "stc_participant may execute"),
        ("REVOKE EXECUTE ON FUNCTION stc.run_taken(text) FROM stc_reader", "stc_reader may not"),
        ("ALTER FUNCTION stc.run_taken(text) OWNER TO CURRENT_USER", "belongs to"),
    ],
)
def test_the_check_finds_what_is_not_safe(conn: psycopg.Connection, statement: str, fault: str) -> None:
    with conn.transaction(force_rollback=True):
        conn.execute(statement.encode())
        assert any(fault in one for one in faults(conn))


def test_an_upgrade_puts_rights_on_functions_right(conn: psycopg.Connection) -> None:
    conn.execute("SELECT stc.grant_rights()")  # the template has no comment that marks it as a collection
    conn.execute(
        "GRANT EXECUTE ON FUNCTION stc.run_taken(text), stc.forget_vectors() TO PUBLIC;"
        "REVOKE EXECUTE ON FUNCTION stc.run_taken(text) FROM stc_reader"
    )
    assert value(conn, "SELECT stc.grant_rights()") == 3
    assert faults(conn) == []
    assert value(conn, "SELECT stc.grant_rights()") == 0


EVIL = """
CREATE TEMP TABLE bait (id bigint);
CREATE FUNCTION pg_temp.sprung() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'as %', current_user;
END $$;
CREATE TRIGGER spring BEFORE DELETE ON bait FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.sprung();
"""


def test_a_model_names_tables_of_ours_alone(collection: psycopg.Connection, login: Login) -> None:
    """The reported attack: a temporary table with the name of a model's table, whose trigger would run as the owner."""
    attacker = login("organiser")
    attacker.execute(EVIL)
    for model, relation in (
        ("evil", "bait"),
        ("evil", "pg_temp.bait"),
        ("evil", "ask_requests"),
        ("minilm", "bait"),
        ("evil-1", "dblp_v_evil-1"),
        ("", "dblp_v_"),
        ("text", "dblp_text"),
    ):
        with pytest.raises(psycopg.errors.CheckViolation):
            attacker.execute(
                "INSERT INTO stc.vector_models (model, name, dim, relation) VALUES (%s, 'a/model', 3, %s)", [model, relation]
            )
    # One of our names without a table: an object that the caller creates under this name is not used.
    attacker.execute("INSERT INTO stc.vector_models (model, name, dim, relation) VALUES ('bait', 'a/model', 3, 'dblp_v_bait')")
    attacker.execute("ALTER TABLE bait RENAME TO dblp_v_bait")
    attacker.execute("SET search_path = pg_temp, public")
    changed = attacker.execute("UPDATE public.dblp_text SET title = 'another' WHERE id = 1")
    assert changed.rowcount == 1
    with pytest.raises(psycopg.errors.CheckViolation):
        attacker.execute("UPDATE stc.vector_models SET relation = 'dblp_text'")


def test_vectors_of_a_changed_text_go(conn: psycopg.Connection) -> None:
    conn.execute("SELECT stc.add_vector_model('other', 'a/model', 3)")
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}'), (2, '2', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (1, 'one', 'text'), (2, 'two', 'text')")
    conn.execute("INSERT INTO dblp_v_other (id, title_v) VALUES (1, '[1,0,0]'), (2, '[0,1,0]')")
    conn.execute("UPDATE dblp_text SET title = 'another' WHERE id = 1")
    assert conn.execute("SELECT id FROM dblp_v_other").fetchall() == [(2,)]


def test_triggers_are_not_put_on_tables_of_ones_own(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    attacker.execute("CREATE TABLE written (id bigint, run integer, doc jsonb, stub boolean)")
    for one in objects():
        if one.definer and one.trigger:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                attacker.execute(
                    "CREATE TRIGGER t AFTER INSERT ON written REFERENCING NEW TABLE AS written FOR EACH STATEMENT"
                    f" EXECUTE FUNCTION stc.{one.name}()".encode()
                )


def test_no_member_is_added_while_everybody_may_create_objects_in_public(collection: psycopg.Connection, login: Login) -> None:
    """A function there with the types of a call is preferred to PostgreSQL's own, which takes any array."""
    attacker = login()
    collection.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    attacker.execute(
        "CREATE FUNCTION public.cardinality(bigint[]) RETURNS integer LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'called as %', current_user; END $$"
    )
    with pytest.raises(psycopg.Error, match="called as stc_owner"):
        store_run(attacker, "mine", "red", 7)
    database = f'COMMENT ON DATABASE "{collection.info.dbname}" IS'
    collection.execute(f"{database} NULL".encode())  # as one that stcollection did not create
    with pytest.raises(StateError, match="members could run code with the owner's rights"):
        login()
    collection.execute(f"{database} 'stcollection'".encode())
    login()  # revokes the right
    assert not value(collection, "SELECT has_schema_privilege('public', 'public', 'CREATE')")


def test_what_lies_in_public_under_an_internal_name_is_not_called(collection: psycopg.Connection, login: Login) -> None:
    """On some servers, everyone may create objects in public. Functions search schema stc first."""
    collection.execute("SELECT stc.allow_asks('test', 5)")
    attacker = login()
    collection.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    evil = "LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called as %', current_user; END $$"
    for what, returned in (
        ("member_team()", "text"),
        ("check_name(text, text)", "void"),
        ("nearest_name(text, text[])", "text"),
        ("edition_key(text)", "integer"),
    ):
        attacker.execute(f"CREATE FUNCTION public.{what} RETURNS {returned} {evil}".encode())
    for table in ("ask_requests", "ask_allowances", "ask_counts", "stc_members", "vector_models"):
        attacker.execute(f"CREATE TABLE public.{table} (mine integer)".encode())
    with pytest.raises(psycopg.Error, match="called as"):
        attacker.execute("SELECT public.member_team()")
    assert value(attacker, "SELECT ask_scores('red1', 'test')") == 4
    assert value(attacker, "SELECT score_requests()") == 1
    assert value(attacker, "SELECT count(*) FROM asked_scores('red1', 'test')") == 1
    # An upgrade does not treat any of it as its own.
    assert collection.execute(
        "SELECT count(*) FROM stc.collection_objects() o JOIN pg_class c ON c.oid = o.oid"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relname ~ '^(ask_|stc_members|vector_models)'"
    ).fetchone() == (0,)
    for schema in ("stc", "pg_catalog"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            attacker.execute(f"CREATE TABLE {schema}.mine (x integer)".encode())
