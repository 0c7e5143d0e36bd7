"""The attacker is a participant who logs in and tries to read the labels of an edition that is hidden.

Each attack also runs on an open edition, where it must succeed; otherwise, an attack that never works would look like a defence.
Timing is not tested, because docs/howto/administer.md promises nothing about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from stcollection.db.roles import rows_schema
from tests.roles.seen import value
from tests.roles.worlds import Login, Pair, collection, edition_id, pairs

pytestmark = pytest.mark.slow

_ = collection
Attack = Callable[[psycopg.Connection, int, Pair], object]
EDITIONS = ("train", "test")


def schema(conn: psycopg.Connection) -> str:
    """The schema with the names of internal tables for this login."""
    return rows_schema(conn).as_string(conn)


def asked_by_rows(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(
        conn, "SELECT rel FROM qrels_judgments WHERE edition = %s AND query = %s AND doc = %s", edition, pair.query, pair.doc
    )


def by_the_view(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(conn, "SELECT rel FROM qrels WHERE edition = %s AND query = %s AND doc = %s", edition, pair.query, pair.doc)


def by_groups(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(
        conn,
        f"SELECT rel FROM {schema(conn)}.group_judgments WHERE edition = %s AND query = %s AND doc = %s",
        edition,
        pair.query,
        pair.doc,
    )


def by_preferences(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(conn, "SELECT rel FROM stc.preference_levels(%s, %s, 'prefs') WHERE doc = %s", edition, pair.query, pair.doc)


def by_subtopics(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(conn, "SELECT count(*) FROM stc.subtopic_groups(%s, %s, true)", edition, pair.query)


def by_lists_of_subtopics(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    rows = conn.execute(
        "SELECT relevant, irrelevant FROM stc.subtopic_lists(%s, %s, (SELECT array_agg(id) FROM st1_runs), 'trec_eval 9', true)",
        [edition, [pair.query]],
    ).fetchall()
    return [row for row in rows if row[0] or row[1]]


def by_profiles(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(conn, "SELECT nullif(rels, '{}') FROM stc.judged_profiles(%s, %s)", edition, [pair.query])


def by_lists(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    rows = conn.execute(
        "SELECT relevant, grades, irrelevant FROM stc.judged_lists(%s, %s, (SELECT array_agg(id)"
        " FROM st1_runs), 'trec_eval 9', true)",
        [edition, [pair.query]],
    ).fetchall()
    return [row for row in rows if row[0] or row[2]]


def by_the_rules_of_trec_eval_10(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    rows = conn.execute(
        "SELECT relevant, grades FROM stc.judged_lists(%s, %s, (SELECT array_agg(id) FROM st1_runs), 'trec_eval 10', true)",
        [edition, [pair.query]],
    ).fetchall()
    return [row for row in rows if row[0]]


def by_scores_of_others(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(conn, "SELECT value FROM st1_scores WHERE edition = %s AND query = %s", edition, pair.query)


def by_cuts(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(conn, f"SELECT reason FROM {schema(conn)}.query_cuts WHERE edition = %s", edition)


def by_the_ledger(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(conn, f"SELECT path FROM {schema(conn)}.qrels_files WHERE edition = %s", edition)


def by_its_row(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(conn, "SELECT edition FROM qrels_editions WHERE id = %s", edition)


def by_an_error(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    try:
        conn.execute(
            "SELECT ('label ' || rel)::date FROM qrels_judgments WHERE edition = %s AND query = %s AND doc = %s",
            [edition, pair.query, pair.doc],
        ).fetchall()
    except psycopg.Error as error:
        return re.search(r"label -?\d+", str(error))
    return None


def by_a_cheap_function(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    """PostgreSQL evaluates cheap conditions first, but calls functions that could leak only after the policy."""
    heard: list[str] = []
    conn.add_notice_handler(lambda one: heard.append(one.message_primary or ""))
    conn.execute(
        "CREATE OR REPLACE FUNCTION pg_temp.tell(rel smallint) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS"
        " $$ BEGIN RAISE NOTICE 'label %', rel; RETURN true; END $$"
    )
    conn.execute(
        "SELECT FROM qrels_judgments WHERE pg_temp.tell(rel) AND edition = %s AND query = %s AND doc = %s",
        [edition, pair.query, pair.doc],
    )
    return [one for one in heard if one.startswith("label")]


def by_a_cursor(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    with conn.transaction():
        conn.execute("DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT edition, rel FROM qrels_judgments")
    rows = conn.execute("FETCH ALL FROM c").fetchall()
    conn.execute("CLOSE c")
    return [row for row in rows if row[0] == edition]


def by_a_prepared_statement(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    conn.execute("PREPARE all_of(integer) AS SELECT rel FROM qrels_judgments WHERE edition = $1")
    try:
        for mode in ("force_generic_plan", "force_custom_plan"):
            conn.execute(f"SET plan_cache_mode = {mode}".encode())
            found = conn.execute(f"EXECUTE all_of({edition})".encode()).fetchall()
    finally:
        conn.execute("DEALLOCATE all_of")
        conn.execute("RESET plan_cache_mode")
    return found


def by_copy(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    with conn.cursor().copy(f"COPY (SELECT rel FROM qrels_judgments WHERE edition = {edition}) TO STDOUT".encode()) as copy:
        return list(copy.rows())


def by_a_copy_of_its_own(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    conn.execute("CREATE TEMP TABLE IF NOT EXISTS mine AS SELECT * FROM qrels_judgments")
    return value(conn, "SELECT rel FROM mine WHERE edition = %s", edition)


def by_a_join_and_an_aggregate(conn: psycopg.Connection, edition: int, pair: Pair) -> object:
    return value(
        conn,
        "SELECT sum(j.rel) FROM dblp d LEFT JOIN qrels_judgments j ON j.doc = d.id AND j.edition = %s WHERE d.id = %s",
        edition,
        pair.doc,
    )


READING: list[Attack] = [
    asked_by_rows,
    by_the_view,
    by_groups,
    by_preferences,
    by_subtopics,
    by_lists_of_subtopics,
    by_profiles,
    by_lists,
    by_the_rules_of_trec_eval_10,
    by_scores_of_others,
    by_cuts,
    by_the_ledger,
    by_its_row,
    by_an_error,
    by_a_cheap_function,
    by_a_cursor,
    by_a_prepared_statement,
    by_copy,
    by_a_copy_of_its_own,
    by_a_join_and_an_aggregate,
]


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_what_is_hidden_is_not_read_by_any_way(collection: psycopg.Connection, login: Login, kind: Any) -> None:
    attacker = login(kind)
    for attack in READING:
        for edition in EDITIONS:
            pair = pairs(collection, edition)[2]
            found = attack(attacker, edition_id(collection, edition), pair)
            assert bool(found) is (edition == "train"), (attack.__name__, edition, found)


def test_an_organiser_reads_it_by_all_of_them(collection: psycopg.Connection, login: Login) -> None:
    organiser = login("organiser")
    for attack in READING:
        assert attack(organiser, edition_id(collection, "test"), pairs(collection, "test")[2]), attack.__name__


def test_what_one_shadows_is_not_called_with_the_owners_rights(collection: psycopg.Connection, login: Login) -> None:
    collection.execute("SELECT stc.allow_asks('test', 5)")
    attacker = login()
    mine = value(attacker, "SELECT current_schema()")
    assert mine == attacker.info.user
    evil = "RETURNS {} LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called as %%', current_user; END $$"
    for schema in (mine, "pg_temp"):
        attacker.execute(f'CREATE TABLE "{schema}".qrels_judgments (hidden boolean, edition integer, query integer)'.encode())
        for what, returned in (
            ("my_team()", "text"),
            ("round(numeric, integer)", "numeric"),
            ("mean_scores(text[], text, text[])", "TABLE (run text, measure text, value double precision)"),
            ("nearest_name(text, text[])", "text"),
            ("greatest(integer, integer)", "integer"),
        ):
            if "greatest" not in what:
                attacker.execute(f'CREATE FUNCTION "{schema}".{what} '.encode() + evil.format(returned).replace("%%", "%").encode())
        attacker.execute(
            f'CREATE FUNCTION "{schema}".same(text, text) '.encode() + evil.format("boolean").replace("%%", "%").encode()
        )
        if schema == mine:
            attacker.execute(f'CREATE OPERATOR "{mine}".= (LEFTARG = text, RIGHTARG = text, FUNCTION = "{mine}".same)'.encode())
    attacker.execute(f'SET search_path = "{mine}", pg_temp, public'.encode())
    with pytest.raises(psycopg.Error, match="called as"):  # so they exist and can be called by name
        attacker.execute("SELECT my_team()")
    assert value(attacker, "SELECT public.ask_scores('red1', 'test')") == 4
    assert value(attacker, "SELECT public.score_requests()") == 1
    assert len(attacker.execute("SELECT * FROM public.asked_scores('red1', 'test')").fetchall()) == 1
    assert value(attacker, "SELECT asks_left FROM public.hidden_editions()") == 4
    with pytest.raises(psycopg.Error, match="team red has no run") as error:
        attacker.execute("SELECT public.ask_scores('no', 'test')")
    assert error.value.sqlstate == "IR101"


def test_what_is_stored_by_oneself_runs_as_oneself(collection: psycopg.Connection, login: Login) -> None:
    """A view in place of an import's temporary table calls its function as the importing user, who gains nothing."""
    attacker = login()
    attacker.execute(
        "CREATE FUNCTION pg_temp.peek() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'as %, who sees % judgments of test', current_user, (SELECT count(*) FROM public.qrels_judgments"
        " WHERE hidden); END $$"
    )
    attacker.execute(
        "CREATE VIEW pg_temp.incoming AS SELECT pg_temp.peek() AS line, 'a1' AS query, 'd1' AS docno, 1 AS file_rank, 1.0 AS"
        " rel_score,"
        " 1.0 AS comb_score, '' AS passage, '' AS origin, '' AS annotator, 1 AS rel"
    )
    for call in ("stc.import_run('x')", "stc.resolve_incoming('x', 'skip', 'skip')", "stc.import_qrels('x')"):
        with pytest.raises(psycopg.Error) as error:
            attacker.execute(f"SELECT {call}".encode())
        assert "who sees" not in str(error.value) or f"as {attacker.info.user}, who sees 0" in str(error.value)
