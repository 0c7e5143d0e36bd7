"""Storing and removing rows reveals nothing of hidden judgments to a participant and cannot block the owner's commands."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.members import drop_member, members
from stcollection.runs.listing import runs
from tests.roles.seen import value
from tests.roles.worlds import Login, collection, store_run

pytestmark = pytest.mark.slow

_ = collection
STORED = ("judged_runs", "judged_rankings", "judged_scores")


def test_dropping_a_run_touches_nothing_that_tells_of_hidden_judgments(collection: psycopg.Connection, login: Login) -> None:
    """EXPLAIN (ANALYZE, BUFFERS, WAL) shows the size of deleted rows, which could reveal the number of judged documents."""
    attacker = login()
    store_run(attacker, "probe", None, 7)
    collection.execute("SELECT judge_runs('{}', 'test')")
    collection.execute("VACUUM (ANALYZE)")
    with attacker.transaction(force_rollback=True):
        assert value(attacker, "SELECT drop_runs('{probe}')") == 1
        for table in (*(f"stc.{name}" for name in STORED), *(f"stc_all.{name}_hidden" for name in STORED)):
            key = value(collection, "SELECT %s::regclass::oid", table)
            assert value(attacker, "SELECT pg_stat_get_xact_tuples_deleted(%s)", key) == 0, table
    run = value(collection, "SELECT id FROM st1_runs WHERE run = 'probe'")
    attacker.execute("SELECT drop_runs('{probe}')")
    assert value(collection, "SELECT count(*) FROM stc_all.judged_scores WHERE run = %s", run) == 12
    store_run(attacker, "next", None, 8)
    collection.execute("SELECT judge_runs('{next}', 'test')")
    for table in STORED:
        assert value(collection, f"SELECT count(*) FROM stc_all.{table} WHERE run = %s", run) == 0, table


def test_a_member_who_holds_locks_is_dropped(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    attacker.execute("CREATE TABLE mine (a integer)")
    attacker.execute("BEGIN; LOCK TABLE mine")
    collection.execute("SET lock_timeout = '5s'")
    name = attacker.info.user
    drop_member(collection, name)
    assert name not in {one.name for one in members(collection)}


def test_when_a_run_was_stored_is_not_the_participants_to_say(collection: psycopg.Connection, login: Login) -> None:
    """A time that Python cannot represent would break every list of runs; an earlier time would fake a met deadline."""
    attacker = login()
    for made in ("infinity", "0044-03-15 BC", "1999-01-01"):
        attacker.execute("INSERT INTO st1_runs (run, made) VALUES (%s, %s::timestamptz)", [f"early {made}", made])
    found = {one.run: one.made for one in runs(collection)}
    now = value(collection, "SELECT now()")
    assert all((now - found[f"early {made}"]).total_seconds() < 600 for made in ("infinity", "0044-03-15 BC", "1999-01-01"))


def test_no_value_is_too_large_to_be_dumped(collection: psycopg.Connection, login: Login) -> None:
    """COPY cannot write values above 1 GB, and escapes enlarge them: a single row would block every dump."""
    attacker = login()
    large = "repeat('x', 16 * 1024 * 1024 + 1)"
    attacker.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
    for statement in (
        f"INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score, passage) SELECT id, 1, 1, 1, 1, {large} FROM st1_runs"
        " WHERE run = 'mine'",
        f"UPDATE st1_runs SET params = jsonb_build_object('a', {large}) WHERE run = 'mine'",
        f"UPDATE st1_runs SET metadata = jsonb_build_object('a', {large}) WHERE run = 'mine'",
        f"INSERT INTO st1_runs (run, source) VALUES ('other', {large})",
        f"INSERT INTO st1_runs (run, sha256) VALUES ('other', {large})",
        f"INSERT INTO stc.own_systems (system, maker, function) VALUES ('a', current_user, {large})",
        f"INSERT INTO stc.own_systems (system, maker, function, title) VALUES ('a', current_user, 'f', {large})",
        f"INSERT INTO stc.own_systems (system, maker, function) VALUES ({large}, current_user, 'f')",
        "INSERT INTO stc.own_systems (system, maker, function) VALUES (E'a\\x1b[2J', current_user, 'f')",
    ):
        with pytest.raises(psycopg.errors.CheckViolation, match=r"_(size|name|pattern)_check"):
            attacker.execute(statement.encode())
    attacker.execute("UPDATE st1_runs SET params = jsonb_build_object('a', repeat('x', 16000000)) WHERE run = 'mine'")


def test_nobody_keeps_a_table_from_being_rewritten(collection: psycopg.Connection, login: Login) -> None:
    """PostgreSQL cannot rewrite a table whose row type is used by a column; a text index in another language rewrites dblp_text."""
    collection.execute("CALL stc.index_text(engine => 'portable')")
    for kind in ("participant", "reader"):
        attacker = login(kind)
        for statement in (
            "CREATE TABLE mine (held public.dblp_text)",
            "CREATE TABLE mine (held public.dblp_text[])",
            "CREATE TABLE mine AS SELECT t AS held FROM public.dblp_text t",
            "CREATE MATERIALIZED VIEW mine AS SELECT t AS held FROM public.dblp_text t",
            "CREATE DOMAIN mine AS public.dblp_text",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                attacker.execute(statement.encode())
    collection.execute("CALL stc.index_text(config => 'simple', engine => 'portable')")
    assert value(collection, "SELECT sound FROM stc.text_status()") is True
