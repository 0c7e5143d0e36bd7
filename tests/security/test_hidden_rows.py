"""Rows of hidden editions are in relations on which members have no right; changes of judgments are counted."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from stcollection.errors import CLOSED, DatabaseError, is_closed, translate
from tests.roles.seen import value
from tests.roles.worlds import Login, Pair, collection, edition_id, pairs, store_run

pytestmark = pytest.mark.slow

_ = collection
PRUNING = ("enable_partition_pruning", "constraint_exclusion", "enable_indexscan", "enable_bitmapscan", "enable_indexonlyscan")


def plan(conn: psycopg.Connection, edition: int, pair: Pair) -> str:
    probe = f"SELECT FROM qrels_judgments WHERE edition = {edition} AND query = {pair.query} AND doc = {pair.doc}"
    rows = conn.execute(f"EXPLAIN (ANALYZE, VERBOSE, COSTS, TIMING OFF, SUMMARY OFF) {probe}".encode()).fetchall()
    return "\n".join(row for (row,) in rows).replace(str(pair.doc), "DOC")


def test_hidden_pairs_cannot_be_counted(collection: psycopg.Connection, login: Login) -> None:
    """The reported attack: without pruning, 'Rows Removed by Filter' counted the hidden judgments of a pair."""
    attacker = login()
    for setting in PRUNING:
        attacker.execute(f"SET {setting} = off".encode())
    for edition in ("train", "test"):
        known, key = pairs(collection, edition), edition_id(collection, edition)
        differ = plan(attacker, key, known[2]) != plan(attacker, key, known[None])
        assert differ is (edition == "train")
    assert "hidden" not in plan(attacker, edition_id(collection, "test"), pairs(collection, "test")[2]).replace("hidden =", "")


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_no_member_has_a_right_on_a_relation_with_hidden_rows(collection: psycopg.Connection, kind: str) -> None:
    role = f"stc_{kind}"
    assert value(collection, "SELECT has_schema_privilege(%s, 'stc_all', 'USAGE')", role) is False
    reachable = collection.execute(
        "SELECT c.oid::regclass::text FROM pg_class c"
        " WHERE c.relnamespace = 'stc_all'::regnamespace AND c.relkind IN ('r', 'p', 'v')"
        "   AND (has_table_privilege(%(role)s, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER, MAINTAIN')"
        "        OR has_any_column_privilege(%(role)s, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))",
        {"role": role},
    ).fetchall()
    assert reachable == []
    # No visible table has a hidden row, in any session.
    for table in ("qrels_judgments", "qrels_preferences", "qrels_subtopics", "st1_scores", "qrels_editions"):
        assert value(collection, f"SELECT count(*) FROM public.{table} WHERE hidden") == 0
        assert value(collection, f"SELECT count(*) FROM stc_all.{table} WHERE hidden") > 0


def test_hiding_and_releasing_moves_the_rows(collection: psycopg.Connection, login: Login) -> None:
    member = login("reader")
    counted = "SELECT (SELECT count(*) FROM qrels_editions), (SELECT count(*) FROM qrels), (SELECT count(*) FROM stc.edition_files)"
    one = member.execute(counted).fetchone()
    collection.execute("SELECT stc.release_edition('test')")
    both = member.execute(counted).fetchone()
    assert one is not None
    assert both == tuple(2 * number for number in one)
    collection.execute("SELECT stc.hide_edition('train'), stc.hide_edition('test')")
    assert member.execute(counted).fetchone() == (0, 0, 0)
    assert value(login("organiser"), "SELECT count(*) FROM qrels_editions") == 2


def test_an_edition_that_changes_is_the_same_for_members(collection: psycopg.Connection, login: Login) -> None:
    collection.execute("UPDATE qrels_editions SET description = 'new' WHERE edition = 'train'")
    reader = login("reader")
    assert value(reader, "SELECT description FROM qrels_editions") == "new"
    with pytest.raises(psycopg.Error, match=r"is a copy of the visible editions: update is refused"):
        collection.execute("UPDATE public.qrels_editions SET description = 'other'")
    collection.execute("SET session_replication_role = replica")  # as a mistake of a superuser would be
    collection.execute("UPDATE public.qrels_editions SET description = 'other'")
    collection.execute("RESET session_replication_role")
    assert value(collection, "SELECT stc.copy_editions()") is True
    assert value(reader, "SELECT description FROM qrels_editions") == "new"
    assert value(collection, "SELECT stc.copy_editions()") is False


def version(conn: psycopg.Connection) -> int:
    return int(value(conn, "SELECT version FROM stc_all.qrels_editions WHERE edition = 'train'"))


WRITES = (
    "INSERT INTO {schema}.qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, 799, 1 FROM qrels_editions e, st1_queries q"
    " WHERE e.edition = 'train' AND q.query = 'a1'",
    "INSERT INTO {schema}.qrels_preferences SELECT edition, query, 'h', 's', doc, 1 FROM public.qrels_preferences LIMIT 1",
    "INSERT INTO {schema}.qrels_subtopics SELECT edition, query, '2', doc, 1 FROM public.qrels_subtopics LIMIT 1",
)
REMOVALS = (
    "DELETE FROM {schema}.qrels_judgments",
    "UPDATE {schema}.qrels_judgments SET rel = 0",
    "TRUNCATE {schema}.qrels_judgments",
    "UPDATE {schema}.qrels_preferences SET rel = 7",
    "DELETE FROM {schema}.qrels_preferences",
    "DELETE FROM {schema}.qrels_subtopics",
    "DELETE FROM {schema}.qrels_editions",
    "UPDATE {schema}.qrels_editions SET version = 0",
)


@pytest.mark.parametrize("schema", ["public", "stc_all"])
def test_an_organiser_changes_no_judgment_uncounted(collection: psycopg.Connection, login: Login, schema: str) -> None:
    """The reported attack: a setting that everybody can set allowed DELETE, and kept the version."""
    organiser = login("organiser")
    before = version(collection)
    with organiser.transaction():
        organiser.execute("SELECT set_config('stcollection.drop_edition', stc.edition_key('train')::text, true)")
        for statement in REMOVALS:
            with pytest.raises(psycopg.errors.InsufficientPrivilege), organiser.transaction():
                organiser.execute(statement.format(schema=schema).encode())
    assert version(collection) == before
    for count, statement in enumerate(WRITES, 1):
        organiser.execute(statement.format(schema=schema).encode())
        assert version(collection) == before + count, statement


@pytest.mark.parametrize("schema", ["public", "stc_all"])
def test_changes_of_the_owner_are_counted(collection: psycopg.Connection, schema: str) -> None:
    counted = version(collection)
    for statement in (*WRITES, *REMOVALS[3:6]):
        collection.execute(statement.format(schema=schema).encode())
        counted += 1
        assert version(collection) == counted, statement
    for statement in REMOVALS[:3]:
        with pytest.raises(psycopg.Error, match="append-only"):
            collection.execute(statement.format(schema=schema).encode())


def test_an_organiser_changes_no_stratum(collection: psycopg.Connection, login: Login) -> None:
    """Estimates from a sealed edition depend on its strata too."""
    organiser = login("organiser")
    store = (
        "INSERT INTO stc_all.qrels_strata (edition, query, doc, stratum, drawn, hidden)"
        " SELECT edition, query, doc, %s, true, hidden FROM stc_all.qrels_judgments WHERE rel = %s"
    )
    organiser.execute(store, ["1", 1])
    organiser.execute("SELECT seal_edition('train'), seal_edition('test')")
    for table in ("stc.qrels_strata", "stc_all.qrels_strata"):
        for statement in ("DELETE FROM {}", "UPDATE {} SET stratum = '2'", "UPDATE {} SET drawn = false", "TRUNCATE {}"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                organiser.execute(statement.format(table).encode())
    with pytest.raises(psycopg.Error, match="has been sealed"):
        organiser.execute(store, ["2", 2])


def test_a_sealed_edition_is_dropped_only_as_such(collection: psycopg.Connection, login: Login) -> None:
    organiser = login("organiser")
    organiser.execute("SELECT seal_edition('train')")
    with pytest.raises(psycopg.Error, match="has been sealed"):
        organiser.execute("SELECT stc.drop_edition('train')")
    assert value(organiser, "SELECT stc.drop_edition('train', true)") == 192
    assert value(collection, "SELECT count(*) FROM qrels_editions WHERE edition = 'train'") == 0
    assert value(collection, "SELECT count(*) FROM stc.removals") == 0


def test_requests_to_remove_are_checked_when_they_are_stored(collection: psycopg.Connection, login: Login) -> None:
    store_run(collection, "blue2", "blue", 7)
    names = "SELECT array_agg(run ORDER BY run) FROM st1_runs"
    runs = value(collection, names)
    attacker = login()
    for kind, key in (
        ("run", "(SELECT id FROM st1_runs WHERE run = 'base')"),
        *(("run", str(number)) for number in range(1, 9)),
        ("edition", "1"),
        ("file", "1"),
        ("unfinished", "1"),
    ):
        if key == str(value(collection, "SELECT id FROM st1_runs WHERE run = 'red1'")):
            continue
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            attacker.execute(f"INSERT INTO stc.removals VALUES ('{kind}', {key})".encode())
    assert value(collection, names) == runs
    attacker.execute("INSERT INTO stc.removals SELECT 'run', id FROM st1_runs WHERE run = 'red1'")
    assert value(collection, names) == [run for run in runs if run != "red1"]


# PostgreSQL searches only pg_catalog for functions of indexes.
INDEX = """
CREATE TABLE bait (x integer);
INSERT INTO bait VALUES (1);
CREATE FUNCTION strike(x integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
    BEGIN
        PERFORM public.drop_runs('{base,blue1,elsewhere}');
    EXCEPTION WHEN OTHERS THEN NULL; END;
    BEGIN
        PERFORM stc.drop_edition('train', true);
    EXCEPTION WHEN OTHERS THEN NULL; END;
    PERFORM SCHEMA.note();
    RETURN x;
END $$;
CREATE TABLE calls (runs_as text, session text, team text);
CREATE FUNCTION note() RETURNS void LANGUAGE sql AS
'INSERT INTO SCHEMA.calls VALUES (current_user, session_user, public.my_team())';
CREATE INDEX ON bait (strike(x));
"""


@pytest.mark.parametrize("statement", ["REINDEX TABLE {}", "VACUUM FULL {}", "CLUSTER {} USING bait_strike_idx"])
def test_an_index_function_acts_as_its_maker_alone(collection: psycopg.Connection, login: Login, statement: str) -> None:
    """The reported attack: for an index of a member, VACUUM and REINDEX run her function in a session of a superuser."""
    attacker = login()
    attacker.execute(INDEX.replace("SCHEMA", f'"{attacker.info.user}"').encode())
    attacker.execute("TRUNCATE calls")
    runs = value(collection, "SELECT count(*) FROM st1_runs")
    collection.execute(statement.format(f'"{attacker.info.user}".bait').encode())
    assert attacker.execute("SELECT DISTINCT runs_as, session <> runs_as, team FROM calls").fetchall() == [
        (attacker.info.user, True, "red")
    ]
    assert value(collection, "SELECT count(*) FROM st1_runs") == runs
    assert value(collection, "SELECT count(*) FROM qrels_editions") == 2


SYSTEM = ("xmin", "xmax", "cmin", "cmax", "ctid", "tableoid")


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_locks_of_foreign_keys_name_no_judgment(collection: psycopg.Connection, login: Login, kind: Any) -> None:
    """A foreign key locks the rows of the document and the query: both then have the number of the transaction in xmax."""
    collection.execute(
        "INSERT INTO stc_all.qrels_judgments (edition, query, doc, rel, hidden)"
        " SELECT e.id, q.id, 777, 1, true FROM qrels_editions e, st1_queries q WHERE e.edition = 'test' AND q.query = 'b3'"
    )
    locked = "SELECT (SELECT xmax FROM dblp WHERE id = 777) = (SELECT xmax FROM stc.st1_queries WHERE query = 'b3')"
    assert value(login("organiser"), locked) is True
    member = login(kind)
    referenced = collection.execute(
        "SELECT DISTINCT c.oid::regclass::text FROM pg_constraint k JOIN pg_class c ON c.oid = k.confrelid"
        " WHERE k.contype = 'f' AND c.relnamespace::regnamespace::text IN ('public', 'stc')"
    ).fetchall()
    assert len(referenced) > 10
    for (table,) in referenced:
        for column in SYSTEM:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                member.execute(f"SELECT {column} FROM {table} LIMIT 1".encode())
    for statement in (
        "SELECT * FROM dblp LIMIT 1",
        "SELECT count(*) FROM dblp",
        "SELECT to_jsonb(d) FROM dblp d LIMIT 1",
        "CREATE TEMP TABLE mine AS TABLE st1_queries",
        "SELECT * FROM st1_topics, st1_queries LIMIT 1",
        "SELECT * FROM documents LIMIT 1",
    ):
        assert member.execute(statement.encode()).rowcount >= 0


def test_a_closed_table_is_one_without_the_right(collection: psycopg.Connection, login: Login) -> None:
    """PostgreSQL does not find it, since members may not use its schema; the error says that the right is missing."""
    closed = collection.execute(
        "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'stc_all'::regnamespace AND c.relkind IN ('r', 'v')"
        "   AND NOT c.relispartition AND NOT EXISTS (SELECT FROM pg_class v WHERE v.relname = c.relname"
        "        AND v.relnamespace::regnamespace::text IN ('public', 'stc'))"
    ).fetchall()
    assert {name for (name,) in closed} == {name for (name,) in closed if is_closed(name)} >= CLOSED
    with pytest.raises(DatabaseError, match="permission denied for table qrels_pools") as error, translate():
        login("reader").execute("SELECT stc.pool_key('p')")
    assert error.value.sqlstate == "42501"
