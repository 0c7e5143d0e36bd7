"""Queries of the page: abandoned ones are cancelled, lost connections are opened again, and reading never writes."""

from __future__ import annotations

import asyncio
import threading
import time

import numpy as np
import psycopg
import pytest

from stcollection.analysis.paired import randomisation
from stcollection.analysis.significance import MOST
from stcollection.errors import DatabaseError, StateError
from stcollection.web.desk import Desk


def test_a_question_cannot_write_and_a_deed_can(dsn: str) -> None:
    async def story() -> None:
        desk = Desk(dsn)
        desk.open()
        try:
            with pytest.raises(DatabaseError, match="read-only"):
                await desk.ask(_write)
            await desk.write(_write)
            assert await desk.ask(_count) == 1
        finally:
            desk.close()

    asyncio.run(story())


@pytest.mark.slow
def test_what_is_left_is_cancelled_and_what_is_slow_ends(conn: psycopg.Connection, dsn: str) -> None:
    async def story() -> None:
        desk = Desk(dsn, seconds=2.0)
        desk.open()
        try:
            asking = asyncio.create_task(desk.ask(_sleep, 60))
            await _until(lambda: _sleeping(conn) == 1)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await _until(lambda: _sleeping(conn) == 0)
            with pytest.raises(DatabaseError, match="statement timeout"):
                await desk.ask(_sleep, 60)
        finally:
            desk.close()

    asyncio.run(story())


@pytest.mark.slow
def test_a_function_that_catches_the_cancellation_is_ended(
    conn: psycopg.Connection, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stcollection.web.desk._END_SECONDS", 0.2)
    conn.execute(
        "CREATE FUNCTION public.stubborn() RETURNS void LANGUAGE plpgsql AS $$ BEGIN LOOP BEGIN PERFORM pg_sleep(60);"
        " EXCEPTION WHEN query_canceled THEN END; END LOOP; END $$"
    )
    conn.commit()

    async def story() -> None:
        desk = Desk(dsn, at_once=1)
        desk.open()
        try:
            asking = asyncio.create_task(desk.ask(lambda conn: conn.execute("SELECT public.stubborn()")))
            await _until(lambda: _sleeping(conn) == 1)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await _until(lambda: _sleeping(conn) == 0)
            assert await desk.ask(_count) == 0  # its only connection
        finally:
            desk.close()

    asyncio.run(story())


def test_a_permutation_test_that_nobody_waits_for_ends(dsn: str) -> None:
    ended = threading.Event()

    def test(_conn: psycopg.Connection) -> None:
        try:
            randomisation(np.ones((500, 20)), permutations=MOST, seed=1)  # minutes
        except StateError:
            ended.set()

    async def story() -> None:
        desk = Desk(dsn)
        desk.open()
        try:
            asking = asyncio.create_task(desk.ask(test))
            await asyncio.sleep(0.2)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert await asyncio.to_thread(ended.wait, 20)
        finally:
            desk.close()

    asyncio.run(story())


def test_a_lost_connection_is_had_again(conn: psycopg.Connection, dsn: str) -> None:
    async def story() -> None:
        desk = Desk(dsn)
        desk.open()
        try:
            assert await desk.ask(_count) == 0
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            await _until(lambda: _others(conn) == 0)
            assert await desk.ask(_count) == 0
        finally:
            desk.close()

    asyncio.run(story())


@pytest.mark.slow
def test_nobody_waits_for_a_turn_for_ever(dsn: str) -> None:
    async def story() -> None:
        desk = Desk(dsn, at_once=1, seconds=1.0)
        desk.open()
        try:
            held = asyncio.create_task(desk.ask(_hold, 3.0))
            await asyncio.sleep(0.2)
            with pytest.raises(StateError, match="became available within 1 second"):
                await desk.ask(_count)
            await held
        finally:
            desk.close()

    asyncio.run(story())


def _write(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO st1_queries (query) VALUES ('q')")


def _count(conn: psycopg.Connection) -> int:
    [(count,)] = conn.execute("SELECT count(*) FROM st1_queries").fetchall()
    return int(count)


def _others(conn: psycopg.Connection) -> int:
    [(count,)] = conn.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    ).fetchall()
    return int(count)


def _sleep(conn: psycopg.Connection, seconds: float) -> None:
    conn.execute("SELECT pg_sleep(%s)", [seconds])


def _hold(conn: psycopg.Connection, seconds: float) -> None:
    time.sleep(seconds)


def _sleeping(conn: psycopg.Connection) -> int:
    [(count,)] = conn.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep'"
    ).fetchall()
    return int(count)


async def _until(holds: object) -> None:
    assert callable(holds)
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.02)
