"""Open sessions for dump, sample and restore: as the collection's owner, with a fixed search path.

The user of the command is often a superuser. The sessions work as the role that owns the tables, so that no expression attached to
an object runs with superuser rights.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

import psycopg
from psycopg import sql

Item = TypeVar("Item")
Result = TypeVar("Result")

# Rows are written and read as text, which requires the same settings on both sides.
_SETTINGS = """
SET search_path = pg_catalog, public, pg_temp;
SET row_security = off;
SET datestyle = 'ISO, YMD';
SET intervalstyle = postgres;
SET extra_float_digits = 1;
SET bytea_output = hex;
SET client_encoding = 'UTF8';
SET client_min_messages = warning;
SET check_function_bodies = off;
SET lock_timeout = '60s';
SET statement_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET synchronize_seqscans = off
"""

# The role that owns the collection, if it is not a superuser and the user may switch to it.
_OWNER = """
SELECT r.rolname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_roles r ON r.oid = c.relowner
 WHERE c.oid = pg_catalog.to_regclass('public.alembic_version') AND NOT r.rolsuper
   AND r.rolname <> current_user AND pg_catalog.pg_has_role(r.oid, 'SET')
"""


def owner(conn: psycopg.Connection) -> str | None:
    """Return the role to work as; None means the user's role."""
    row = conn.execute(_OWNER).fetchone()
    return None if row is None else str(row[0])


def enter(conn: psycopg.Connection, role: str | None) -> None:
    """Set the session's settings and role. Ends the transaction."""
    conn.execute(_SETTINGS)
    if role is not None:
        conn.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
    if not conn.autocommit:
        conn.commit()


def run_parallel(
    work: Callable[[psycopg.Connection, Item], Result],
    items: Sequence[Item],
    *,
    connect: Callable[[], psycopg.Connection],
    jobs: int,
    on_result: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Process items in parallel, each worker with its own connection.

    On an error or interruption, running statements are cancelled and the workers end before it is raised.


    :param on_result: called with each result, one at a time.
    :returns: results in the order of the items.
    """
    queue: SimpleQueue[tuple[int, Item]] = SimpleQueue()
    for numbered in enumerate(items):
        queue.put(numbered)
    results: dict[int, Result] = {}
    open_: list[psycopg.Connection] = []
    lock, stop = threading.Lock(), threading.Event()

    def worker() -> None:
        with connect() as conn:
            with lock:
                open_.append(conn)
            while not stop.is_set():
                try:
                    number, item = queue.get_nowait()
                except Empty:
                    return
                result = work(conn, item)
                with lock:
                    results[number] = result
                    if on_result is not None:
                        on_result(result)

    with ThreadPoolExecutor(max(1, min(jobs, len(items)))) as threads:
        running = [threads.submit(worker) for _ in range(max(1, min(jobs, len(items))))]
        try:
            _raise_first(running)
        except BaseException:
            stop.set()
            with lock:
                _cancel(open_)
            raise
    return [results[number] for number in range(len(items))]


def _raise_first(running: Iterable[Future[None]]) -> None:
    finished, _ = wait(running, return_when=FIRST_EXCEPTION)
    for future in finished:
        future.result()


def _cancel(connections: Sequence[psycopg.Connection]) -> None:
    for conn in connections:
        with suppress(psycopg.Error):
            conn.cancel_safe(timeout=5)
