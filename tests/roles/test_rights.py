"""Roles and rights after an upgrade: decided for every table, independent of the history of a database, and set quickly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql

from stcollection.db.backup.tables import migrate
from stcollection.db.connection import conninfo
from stcollection.db.objects import sync
from stcollection.db.roles import ROLES, create_roles, describe_roles, ensure_roles
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import head
from stcollection.db.upgrade import upgrade
from tests.columns import columns, tables
from tests.groups import db
from tests.roles.seen import value

pytestmark = pytest.mark.slow

RIGHTS = """
SELECT 'relation ' || c.oid::regclass, c.relowner::regrole::text,
       (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(c.relacl) a WHERE a::text NOT LIKE 'stc_owner=%'),
       concat(c.relrowsecurity, (SELECT string_agg(a.attname || a.attacl::text, ' ' ORDER BY attnum)
                                   FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attacl::text <> '{}'))
  FROM pg_class c
 WHERE c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'S')
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
UNION ALL
SELECT 'routine ' || p.oid::regprocedure, p.proowner::regrole::text,
       (SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(p.proacl) a WHERE a::text NOT LIKE 'stc_owner=%'), ''
  FROM pg_proc p
 WHERE p.pronamespace IN ('public'::regnamespace, 'stc'::regnamespace)
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT 'policy ' || tablename || ' ' || policyname, cmd, roles::text, concat(qual, with_check)
  FROM pg_policies WHERE schemaname IN ('public', 'stc')
 ORDER BY 1
"""


@pytest.fixture
def fresh(server: Settings, admin: psycopg.Connection) -> Iterator[Callable[[str], Settings]]:
    """Empty databases."""
    made: list[str] = []

    def fresh(name: str) -> Settings:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        made.append(name)
        return replace(server, db=name)

    yield fresh
    for name in made:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def rights(settings: Settings) -> list[tuple[str, ...]]:
    with open_session(conninfo(settings)) as conn:
        return conn.execute(RIGHTS.encode()).fetchall()


def test_every_table_has_a_decision(conn: psycopg.Connection) -> None:
    decided = conn.execute("SELECT relation, schema FROM stc.stc_rights()").fetchall()
    assert len(decided) == len(set(decided))
    assert {name for name, _ in decided} == set(tables(conn)), "say in sql/db/stc_rights.sql who may what"


def test_the_rights_are_those_that_are_decided(conn: psycopg.Connection) -> None:
    letters = {"SELECT": "r", "INSERT": "a", "UPDATE": "w", "DELETE": "d"}
    rows = conn.execute(
        "SELECT concat(schema, '.', relation), ARRAY[participant, reader, organiser] FROM stc.stc_rights()"
        " UNION SELECT i.inhrelid::regclass::text, ARRAY['', '', ''] FROM pg_inherits i JOIN pg_class c ON c.oid = inhrelid"
        " AND relkind = 'r' AND relname LIKE '%\\_hidden'"
    ).fetchall()
    everything = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN")
    identities = {column.table for column in columns(conn) if column.identity}
    assert len(identities) >= 26
    for relation, decided in rows:
        for role, letters_ in zip(("stc_participant", "stc_reader", "stc_organiser"), decided, strict=True):
            # per column: tests/security/test_identities.py
            wanted = set(letters_) - set("aw") if relation.rpartition(".")[2] in identities else set(letters_)
            if role != "stc_organiser" and value(conn, "SELECT stc.read_by_column(%s)", relation):
                wanted -= {"r"}  # tests/security/test_hidden_rows.py
            there = conn.execute(
                "SELECT array_agg(w.word) FROM unnest(%s::text[]) AS w (word) WHERE has_table_privilege(%s, %s, w.word)",
                [list(everything), role, relation],
            ).fetchone()
            assert there is not None
            assert {letters.get(word, word) for word in there[0] or ()} == wanted, (relation, role)
        assert conn.execute("SELECT relowner::regrole::text FROM pg_class WHERE oid = %s::regclass", [relation]).fetchone() == (
            "stc_owner",
        )
    public = conn.execute(
        "SELECT c.relname FROM pg_class c, aclexplode(c.relacl) a WHERE a.grantee = 0"
        " AND c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
    ).fetchall()
    assert public == []


def test_a_second_upgrade_finds_nothing_to_do(conn: psycopg.Connection, settings: Settings) -> None:
    ensure_roles(conn)
    before = rights(settings)
    step = upgrade(settings)
    assert (step.objects, step.roles) == (0, None)
    assert conn.execute("SELECT stc.own_objects(), stc.grant_rights(), stc.put_policies()").fetchone() == (0, 0, 0)
    assert rights(settings) == before


def test_what_was_changed_by_hand_is_put_right(conn: psycopg.Connection, settings: Settings) -> None:
    before = rights(settings)
    for statement in (
        "GRANT SELECT ON stc_all.qrels_judgments_hidden TO stc_participant",
        "GRANT ALL ON qrels_editions TO stc_reader",
        "REVOKE SELECT ON dblp FROM stc_participant",
        "ALTER TABLE dblp OWNER TO postgres",
        "ALTER FUNCTION my_team() OWNER TO postgres",
        "GRANT EXECUTE ON FUNCTION stc.keep_facts() TO PUBLIC",
        "DROP POLICY see_team ON st1_runs",
        "CREATE POLICY more ON qrels_judgments USING (true)",
        "ALTER TABLE st1_scores DISABLE ROW LEVEL SECURITY",
        "ALTER VIEW qrels OWNER TO postgres",
        "GRANT SELECT (rel) ON stc_all.qrels_judgments_hidden TO stc_reader",
        "GRANT SELECT ON stc_all.qrels_judgments_hidden TO PUBLIC",
        "REVOKE UPDATE (metadata) ON st1_runs FROM stc_participant",
        "GRANT UPDATE (team) ON st1_runs TO stc_participant",
        "ALTER TABLE stc.query_cuts OWNER TO postgres",
        "GRANT CREATE ON SCHEMA public TO PUBLIC",
    ):
        conn.execute(statement.encode())
    assert rights(settings) != before
    upgrade(settings)
    assert rights(settings) == before
    assert conn.execute("SELECT has_schema_privilege('public', 'public', 'CREATE')").fetchone() == (False,)


def test_what_is_the_users_stays_the_users(conn: psycopg.Connection) -> None:
    conn.execute("CREATE TABLE public.mine (x integer); GRANT SELECT ON mine TO stc_participant")
    before = conn.execute("SELECT relowner, relacl::text FROM pg_class WHERE relname = 'mine'").fetchone()
    ensure_roles(conn)
    assert conn.execute("SELECT relowner, relacl::text FROM pg_class WHERE relname = 'mine'").fetchone() == before


def test_two_upgrades_at_once_on_a_server_without_the_roles(
    server: Settings, admin: psycopg.Connection, fresh: Callable[[str], Settings], tmp_path: Path
) -> None:
    """Each creates the roles or finds those of the other. Repeated in two threads, with roles of other names."""
    names = {f"{role}_{tmp_path.name.lower()}": comment for role, comment in ROLES.items()}
    connections = [open_session(conninfo(fresh(f"stc_at_once_{number}"))) for number in range(4)]
    done: list[str | None] = []
    barrier = threading.Barrier(4)
    real = dict(ROLES)
    ROLES.clear()
    ROLES.update(names)

    def one(conn: psycopg.Connection) -> None:
        barrier.wait()
        done.append(create_roles(conn))
        conn.commit()

    try:
        threads = [threading.Thread(target=one, args=[conn]) for conn in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        ROLES.clear()
        ROLES.update(real)
        for conn in connections:
            conn.close()
    there = admin.execute("SELECT count(*) FROM pg_roles WHERE rolname = ANY (%s)", [list(names)]).fetchone()
    for name in names:
        admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name)))
    assert done == [None] * 4
    assert there == (4,)


def test_a_database_that_was_upgraded_is_as_one_that_is_new(
    server: Settings, admin: psycopg.Connection, fresh: Callable[[str], Settings], template: str
) -> None:
    """From version 0.2, with rows: judgments, a sealed edition, answers of a test split."""
    old = fresh("stc_from_0035")
    _at_0035(old)
    step = upgrade(old)
    assert (step.before, step.after, step.roles) == ("0035", head(), None)
    new = replace(server, db="stc_new")
    fresh("stc_new")
    upgrade(new)
    assert rights(old) == rights(new)
    with open_session(conninfo(old), autocommit=True) as conn:
        rows = conn.execute(
            "SELECT e.edition, j.hidden, count(*) FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition GROUP BY 1, 2"
        )
        assert sorted(rows.fetchall()) == [("test", True, 1), ("train", False, 2)]
        assert conn.execute("SELECT max(id) FROM qrels_judgments").fetchone() == (3,)
        row = conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator) SELECT id, 1, 1, 1, 'new' FROM qrels_editions"
            " WHERE edition = 'train'"
            " RETURNING id"
        ).fetchone()
        assert row == (4,)
        assert conn.execute("SELECT hidden, sealed IS NOT NULL, version FROM qrels_editions WHERE edition = 'test'").fetchone() == (
            True,
            True,
            1,
        )
        assert conn.execute("SELECT hidden, count(*) FROM answer_gold GROUP BY 1").fetchall() == [(True, 1)]
        partitions = conn.execute(
            "SELECT c.relnamespace = 'stc_all'::regnamespace, c.relname LIKE '%\\_hidden', c.relname LIKE '%\\_open'"
            "  FROM pg_inherits i JOIN pg_class c ON c.oid = inhrelid AND relkind = 'r'"
        ).fetchall()
        assert {*partitions} == {(True, True, False), (False, False, False)}


def _at_0035(settings: Settings) -> None:
    """A database of version 0.2 with a row of each kind."""
    migrate(open_session(conninfo(settings)), "0035")
    with open_session(conninfo(settings)) as conn:
        for statement in (
            "INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}'), (2, '2', '{}')",
            "INSERT INTO st1_queries (query) VALUES ('q1')",
            "INSERT INTO qrels_editions (edition, split, version, hidden)"
            " VALUES ('train', 'train', 2, false), ('test', 'test', 1, true)",
            "INSERT INTO qrels_judgments (edition, query, doc, rel, hidden) VALUES (1, 1, 1, 1, false), (1, 1, 2, 0, false),"
            " (2, 1, 1, 2, true)",
            "UPDATE qrels_editions SET sealed = now(), fingerprint = 'x' WHERE edition = 'test'",
            "INSERT INTO stc.answer_sets (set, split, hidden) VALUES ('s', 'test', true)",
            "INSERT INTO stc.answer_queries (set, place, text, hidden) VALUES (1, 1, 'q', true)",
            "INSERT INTO stc.answer_documents (query, place, doc_id, url, title, text) VALUES (1, 1, 'd', 'u', '', '')",
            "INSERT INTO stc.answer_gold (document, query, hidden) VALUES (1, 1, true)",
        ):
            conn.execute(statement.encode())


def test_who_may_not_make_roles_upgrades_all_the_same(
    server: Settings, admin: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner of a database on someone else's server. Hidden rows stay hidden even after a manual grant on a table."""
    names = {role: f"{role}_not_there" for role in ROLES}
    plain, guest = f"plain_{tmp_path.name.lower()}", f"guest_{tmp_path.name.lower()}"
    for role in (plain, guest):
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(sql.Identifier(role)))
    admin.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(plain), sql.Identifier(plain)))
    try:
        settings = replace(server, db=plain)
        with open_session(conninfo(settings), autocommit=True) as conn:
            conn.execute("CREATE EXTENSION vector")
        monkeypatch.setattr("stcollection.db.roles.ROLES", dict.fromkeys(names.values(), ""))
        step = upgrade(replace(settings, dsn=f"{conninfo(settings)} user={plain} password=x"))
        assert (
            step.roles == f"{plain} may not create roles, and stc_owner_not_there is missing: only the owner can use the collection"
        )
        with open_session(conninfo(settings), user=plain, password="x", autocommit=True) as conn:  # noqa: S106
            assert conn.execute("SELECT relowner::regrole::text FROM pg_class WHERE relname = 'dblp'").fetchone() == (plain,)
            conn.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA public, stc TO {}").format(sql.Identifier(guest)))
            conn.execute("INSERT INTO qrels_editions (edition, hidden) VALUES ('open', false), ('hidden', true)")
        with open_session(conninfo(settings), user=guest, password="x") as conn:  # noqa: S106
            assert conn.execute("SELECT edition FROM qrels_editions").fetchall() == [("open",)]
    finally:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(plain)))
        for role in (plain, guest):
            admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_who_may_create_roles_and_no_more_owns_a_collection(server: Settings, admin: psycopg.Connection, tmp_path: Path) -> None:
    """CREATEROLE without superuser, as on managed servers. Since PostgreSQL 16, creators are not members of their roles."""
    name = f"maker_{tmp_path.name.lower()}"
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEROLE PASSWORD 'x'").format(sql.Identifier(name)))
    for role in ROLES:  # as if it had created them
        admin.execute(
            sql.SQL("GRANT {} TO {} WITH ADMIN TRUE, INHERIT FALSE, SET FALSE").format(sql.Identifier(role), sql.Identifier(name))
        )
    admin.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(name)))
    try:
        settings = replace(server, db=name)
        with open_session(conninfo(settings), autocommit=True) as conn:
            conn.execute("CREATE EXTENSION vector")
        its = replace(settings, dsn=f"{conninfo(settings)} user={name} password=x")
        assert upgrade(its).roles is None
        with open_session(conninfo(settings)) as conn:
            assert conn.execute(
                "SELECT DISTINCT relowner::regrole::text FROM pg_class WHERE relname IN ('dblp', 'qrels')"
            ).fetchall() == [("stc_owner",)]
            conn.execute("UPDATE stc_objects SET fingerprint = '' WHERE file LIKE 'qrels/%'")
        assert upgrade(its).objects > 10
        assert upgrade(its, force=True).roles is None
    finally:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        admin.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(name)))
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


def test_policies_stand_after_a_function_of_theirs_was_made_anew(conn: psycopg.Connection, settings: Settings) -> None:
    before = rights(settings)
    conn.execute(
        "DROP FUNCTION my_team() CASCADE; CREATE FUNCTION public.my_team() RETURNS name LANGUAGE sql AS 'SELECT current_user'"
    )
    conn.execute("SELECT stc.put_policies(); UPDATE stc_objects SET fingerprint = '' WHERE file = 'runs/my_team.sql'")
    with conn.transaction():
        sync(conn)
        ensure_roles(conn)
    assert rights(settings) == before


def test_tables_of_a_further_model_are_as_those_of_the_first(conn: psycopg.Connection) -> None:
    ensure_roles(conn)
    conn.execute("SELECT stc.add_vector_model('other', 'some/model', 8)")
    for relation in ("dblp_v_other", "dblp_p_other"):
        assert conn.execute("SELECT relowner::regrole::text FROM pg_class WHERE relname = %s", [relation]).fetchone() == (
            "stc_owner",
        )
        assert conn.execute("SELECT has_table_privilege('stc_participant', %s, 'SELECT')", [relation]).fetchone() == (True,)
        assert conn.execute("SELECT has_table_privilege('stc_participant', %s, 'INSERT')", [relation]).fetchone() == (False,)


def test_status_tells_of_the_roles(conn: psycopg.Connection, settings: Settings) -> None:
    assert "the objects belong to stc_owner" in describe_roles(conn)
    done = CliRunner().invoke(db, ["status"], obj=settings)
    assert f"\nroles       {describe_roles(conn)}\n" in done.output
