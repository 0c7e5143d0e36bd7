"""A participant cannot lock what others need."""

from __future__ import annotations

import threading

import psycopg
import pytest

from stcollection.cli.errors import print_error, print_waiting
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.db.waits import waits
from stcollection.errors import BadArgument, DatabaseError
from stcollection.runs.listing import drop_runs
from tests.roles.worlds import Login, collection

pytestmark = pytest.mark.slow

_ = collection
# An INSERT takes ROW EXCLUSIVE and a SELECT takes ACCESS SHARE: these do not stop other readers and writers.
STRONG = ("SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE")


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_no_table_of_the_collection_can_be_locked(collection: psycopg.Connection, login: Login, kind: str) -> None:
    attacker = login(kind)
    tables = [
        row[0]
        for row in collection.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
            " AND relkind IN ('r', 'p', 'v') ORDER BY 1"
        )
    ]
    assert "st1_runs" in tables
    locked = []
    for table in tables:
        for mode in STRONG:
            try:
                with attacker.transaction(force_rollback=True):
                    attacker.execute(f"LOCK TABLE {table} IN {mode} MODE NOWAIT".encode())
            except psycopg.errors.InsufficientPrivilege:
                continue
            locked.append((table, mode))
    assert locked == []


def test_a_participant_removes_runs_of_the_own_team_alone(collection: psycopg.Connection, login: Login) -> None:
    with pytest.raises(psycopg.Error, match="may not remove runs"):
        login("reader").execute("SELECT drop_runs('{red1}')")
    login().execute("SELECT drop_runs(ARRAY(SELECT run FROM rankings) || '{base,blue1,red1,elsewhere}')")
    assert [row[0] for row in collection.execute("SELECT run FROM st1_runs ORDER BY 1")] == ["base", "blue1", "elsewhere"]
    assert login("organiser").execute("SELECT drop_runs('{base,blue1}')").fetchone() == (2,)
    collection.execute("SELECT drop_runs('{elsewhere}')")
    assert collection.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_commands_wait_for_a_limited_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def limit() -> object:
        with connect(settings, check=False) as conn:
            conn.execute("SELECT 1")
            conn.rollback()
            return conn.execute("SHOW lock_timeout").fetchone()

    assert limit() == ("1min",)
    monkeypatch.setenv("STC_LOCK_TIMEOUT", "0")
    assert limit() == ("0",)
    monkeypatch.setenv("STC_LOCK_TIMEOUT", "soon")
    with pytest.raises(BadArgument, match="STC_LOCK_TIMEOUT is 'soon'"):
        limit()
    monkeypatch.setenv("STC_LOCK_TIMEOUT", "5s")
    monkeypatch.setenv("PGOPTIONS", "-c lock_timeout=7s")
    assert limit() == ("7s",)


def test_a_wait_for_a_participant_ends_and_names_the_session(
    collection: psycopg.Connection,
    login: Login,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The participant locks a row of their own run; the query of another user is not shown."""
    monkeypatch.setenv("STC_LOCK_TIMEOUT", "300ms")
    holder = login(application_name="notebook\x1b[2J")
    with holder.transaction(), connect(settings, autocommit=True) as owner:
        holder.execute("UPDATE st1_runs SET params = '{\"secret\": 1}' WHERE run = 'red1'")
        with pytest.raises(DatabaseError) as error:
            drop_runs(owner, ["red1"])
        assert error.value.sqlstate == "55P03"
        monkeypatch.setenv("STC_LOCK_TIMEOUT", "0")
        with connect(settings, autocommit=True) as waiting:
            other = threading.Thread(target=lambda: drop_runs(waiting, ["red1"]))
            other.start()
            while not (found := waits(collection, pids=[waiting.info.backend_pid])):
                assert other.is_alive()
            holder.execute("SELECT 1")
            [wait] = found
            assert wait.holder == holder.info.backend_pid
            assert f"user {holder.info.user}" in wait.whom
            assert "notebook" in wait.whom
            assert "secret" not in wait.whom
            print_waiting(f"waiting for {wait.what}, held by {wait.whom}", wait.way_on)
            holder.execute("ROLLBACK; BEGIN")
            other.join()
    assert print_error(error.value) == 5
    told = capsys.readouterr().err
    assert f"held by session {holder.info.backend_pid} (notebook" in told
    assert f"pg_terminate_backend({holder.info.backend_pid})" in told
    assert "\x1b" not in told
