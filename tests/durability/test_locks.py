"""Another session locks rows that a command needs: it reports this session and, after a time limit, what to do."""

from __future__ import annotations

import threading
from pathlib import Path

import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from tests.at_once import until
from tests.databases import world
from tests.durability import rivals
from tests.durability.commands import COMMANDS
from tests.durability.rivals import AGAIN, Command, contents, held, held_up, here, others, same, waiting

stocked = world(rivals.stocked)


@pytest.mark.slow
def test_a_command_that_waits_for_a_table_says_for_whom(
    settings: Settings, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path
) -> None:
    table, arguments = COMMANDS["runs import"]
    words = arguments(tmp_path, ids)
    with held(stocked, table) as keeper:
        command = Command(settings, tmp_path, *words)
        held_up(stocked, command)
        until(lambda: command.err.count("\n") >= 2)
        sentence, hint = command.err.splitlines()[:2]
        pid = keeper.info.backend_pid
        assert sentence.startswith(f"stc: waiting for {table} for ")
        assert f"held by session {pid} (somebody, user " in sentence
        assert "idle in transaction" in sentence
        quoted = '"."'.join(table.split("."))
        assert sentence.endswith(f': LOCK TABLE "{quoted}" IN SHARE MODE')
        assert f"pg_terminate_backend({pid})" in hint
    assert command.ends().err.count("waiting for") == 1
    here(twin, *words)
    same(stocked, twin)


@pytest.mark.slow
def test_a_command_that_waits_for_an_uncommitted_import(
    settings: Settings, dsn: str, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path
) -> None:
    first, second = COMMANDS["qrels import"][1](tmp_path, ids), COMMANDS["pool submit"][1](tmp_path, ids)
    second[-1] = "test"  # the same new edition
    with held(stocked, "qrels_judgments"):
        importing = Command(settings, tmp_path, *first)
        held_up(stocked, importing)
        submitting = Command(settings, tmp_path, *second)
        until(lambda: len(waiting(stocked)) == 2)
        until(lambda: "waiting for" in submitting.err)
        assert "waiting for uncommitted rows" in submitting.err
        assert "(stc load [" in submitting.err
    importing.ends()
    submitting.ends()
    for words in (first, second):
        here(twin, *words)
    same(stocked, twin)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["corpus load", "text index", "qrels expand"])
def test_lock_timeout_of_the_server(
    name: str, settings: Settings, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path
) -> None:
    table, arguments = COMMANDS[name]
    words = arguments(tmp_path, ids)
    before = contents(stocked)
    stocked.execute(f'ALTER DATABASE "{settings.db}" SET lock_timeout = 200'.encode())
    with held(stocked, table):
        Command(settings, tmp_path, *words).refused("canceling statement due to lock timeout", AGAIN)
    until(lambda: others(stocked) == 0)
    assert {**contents(stocked), "files": []} == {**before, "files": []}
    stocked.execute(f'ALTER DATABASE "{settings.db}" RESET lock_timeout'.encode())
    for dsn in (conninfo(settings), twin):
        here(dsn, *words)
    same(stocked, twin)


@pytest.mark.slow
def test_the_limit_can_be_raised_as_the_hint_says(
    settings: Settings, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path
) -> None:
    table, arguments = COMMANDS["runs import"]
    words = arguments(tmp_path, ids)
    before = contents(stocked)
    stocked.execute(f'ALTER DATABASE "{settings.db}" SET statement_timeout = 700'.encode())
    with held(stocked, table):
        command = Command(settings, tmp_path, *words)
        command.refused("canceling statement due to statement timeout", "PGOPTIONS='-c statement_timeout=5min' stc …")
        assert contents(stocked) == before
        command = Command(settings, tmp_path, *words, PGOPTIONS="-c statement_timeout=5min")
        longer = "SELECT FROM pg_locks WHERE NOT granted AND waitstart < clock_timestamp() - interval '1 s'"
        until(lambda: stocked.execute(longer).rowcount == 1)
    command.ends()
    here(twin, *words)
    same(stocked, twin)


@pytest.mark.slow
def test_a_deadlock(settings: Settings, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path) -> None:
    table, arguments = COMMANDS["runs import"]
    words = arguments(tmp_path, ids)
    before = contents(stocked)
    with held(stocked, table) as keeper:
        keeper.execute("SET LOCAL deadlock_timeout = '10min'")  # so that the command detects the deadlock and fails
        command = Command(settings, tmp_path, *words, PGOPTIONS="-c deadlock_timeout=2s")
        held_up(stocked, command)
        # Rows that the command has written but not committed.
        other = threading.Thread(target=keeper.execute, args=["LOCK TABLE st1_runs IN ACCESS EXCLUSIVE MODE"])
        other.start()
        command.refused("deadlock detected", AGAIN)
        other.join()
    assert contents(stocked) == before
    for dsn in (conninfo(settings), twin):
        here(dsn, *words)
    same(stocked, twin)


@pytest.mark.slow
def test_a_killed_command_does_not_stay_in_the_queue(
    settings: Settings, stocked: psycopg.Connection, ids: list[int], tmp_path: Path
) -> None:
    """The server ends its waiting session when the client is gone; otherwise, sessions behind it in the queue would also wait."""
    if settings.embedded:
        assert stocked.execute("SHOW client_connection_check_interval").fetchone() == ("5s",)
    stocked.execute(
        f"ALTER DATABASE \"{settings.db}\" SET client_connection_check_interval = '300ms'".encode()
    )  # to shorten the wait
    table, arguments = COMMANDS["runs import"]
    with held(stocked, table):
        command = Command(settings, tmp_path, *arguments(tmp_path, ids))
        held_up(stocked, command)
        command.kill()
        until(lambda: not waiting(stocked))  # while the lock is still held


@pytest.mark.slow
def test_no_connection_left(server: Settings, settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    conn.execute(f'ALTER DATABASE "{settings.db}" CONNECTION LIMIT 1'.encode())
    conn.execute("DROP ROLE IF EXISTS stc_test_limited")
    conn.execute("CREATE ROLE stc_test_limited LOGIN CONNECTION LIMIT 0")  # superusers may exceed the limit of a database
    try:
        limited = Command(settings, tmp_path, "corpus", "status", PGUSER="stc_test_limited", **_where(conn))
        limited.refused("too many connections for role", "The server has no free connections: close some")
    finally:
        conn.execute("DROP ROLE stc_test_limited")


def _where(conn: psycopg.Connection) -> dict[str, str]:
    return {"STC_DSN": f"host={conn.info.host} port={conn.info.port}"}
