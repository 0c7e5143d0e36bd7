"""Database calls of the page: a limited number at the same time, each in a thread and cancellable."""

from __future__ import annotations

import asyncio
import select
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from stcollection.cancellation import cancelling
from stcollection.counts import counted
from stcollection.db.idle import CallProcess, calling
from stcollection.db.sessions import open_session, session_pool
from stcollection.errors import translate
from stcollection.web.shares import LoginShare, TimedOut, for_all

P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE = 4  # concurrent statements; more would compete for the same few cores
_LEAVE_SECONDS = 2.0
_END_SECONDS = 5.0  # after a cancellation, until the session is ended
_TURN_SECONDS = 10.0  # maximum wait for a connection
WAIT_SECONDS = 30.0  # statement timeout
_IDLE_SECONDS = 60.0  # of the connections of a login; without sign-in the page keeps one open
_LIFE_SECONDS = 600.0  # of the connections of a login: a changed password counts after this time at the latest
_RETRY_SECONDS = 3.0
_CONNECTION = "connection to the database"
_READING_SECONDS = 600.0  # of a request that reads, which may send several statements
_WRITING_SECONDS = 1000.0  # of a request that stores a file

_models = CallProcess(idle=600.0)  # loads the models of stages; queries of other systems are embedded elsewhere, and do not wait


@dataclass(frozen=True, kw_only=True)
class Guest:
    """An invited assessor, who can judge one pool under one name and sees no other tab."""

    pool: str
    annotator: str


class Log(Protocol):
    """A log of what people do."""

    def audited(self, role: str, deed: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that also logs what ``deed`` changes."""

    def event(self, role: str, kind: str, **details: Any) -> None:
        """Append an entry."""

    def read(self, *, before: int | None = None, person: str = "", kind: str = "", most: int = 100) -> Any:
        """Return entries, the latest first."""


class Desk:
    """Connections to one collection.

    :param dsn: of the database. :param at_once: concurrent calls; further calls wait and take no thread.
    :param writing: concurrent calls that write. :param seconds: statement timeout.
    :param origin: the page's own desk, if this is the desk of a login. What logins share (vectors of queries, the map) is computed
        by it alone. :param role: the login; None for the role of the page.
    :param failed: called in a thread when no connection can be made.
    """

    guest: Guest | None = None
    licences: tuple[str, ...] = ()  # downloads and answers to programs have text only of documents with these; empty: of all

    def __init__(
        self,
        dsn: str,
        *,
        at_once: int = AT_ONCE,
        writing: int = 2,
        seconds: float = WAIT_SECONDS,
        origin: Desk | None = None,
        role: str | None = None,
        failed: Callable[[], object] | None = None,
    ) -> None:
        self.dsn, self.seconds, self.role = dsn, seconds, role
        self.origin: Desk = origin or self
        self.licences = self.origin.licences
        self.log: Log | None = origin.log if origin else None
        self._failed = failed
        self._readers = self._pool(dsn, at_once, read_only=True)
        self._writers = self._pool(dsn, writing, read_only=False)
        # Requests wait before they take a thread. Each desk has a thread per connection.
        wait = min(seconds, _TURN_SECONDS)
        # All work of a login's desk is that login's. Invited assessors share the page's own desk, half of it each.
        part = 2 if origin is None else 1
        self._reading = LoginShare(_CONNECTION, total=at_once, each=max(1, at_once // part), wait=wait, seconds=_READING_SECONDS)
        self._writing = LoginShare(_CONNECTION, total=writing, each=max(1, writing // part), wait=wait, seconds=_WRITING_SECONDS)
        self._threads = ThreadPoolExecutor(at_once + writing, "stc-desk")
        self._behind = asyncio.Semaphore(1)
        self._kept: dict[Callable[[psycopg.Connection], object], tuple[float, asyncio.Task[object]]] = {}

    def _pool(self, dsn: str, size: int, *, read_only: bool) -> ConnectionPool[psycopg.Connection]:
        limits = {
            "statement_timeout": int(self.seconds * 1000),
            "lock_timeout": int(self.seconds * 1000),
            "transaction_timeout": int(_WRITING_SECONDS * 1000),
            "idle_in_transaction_session_timeout": int(_WRITING_SECONDS * 1000),
            "idle_session_timeout": 0,
            "default_transaction_read_only": "on" if read_only else "off",
            "TimeZone": "UTC",
        }
        more: dict[str, Any] = {"min_size": 1}
        if self._failed is not None:
            failed = self._failed
            more = {"min_size": 0, "max_idle": _IDLE_SECONDS, "max_lifetime": _LIFE_SECONDS, "reconnect_timeout": _RETRY_SECONDS}
            more |= {"reconnect_failed": lambda _: failed(), "num_workers": 1}
        return session_pool(dsn, limits=limits, check=_check, max_size=size, timeout=min(self.seconds, _TURN_SECONDS), **more)

    def note(self, kind: str, **details: Any) -> None:
        """Log an act of the reader, if the page keeps a log. :param details: texts, numbers and lists of texts, by name."""
        if self.log is not None:
            self.log.event(self.role or "", kind, **details)

    def serving(self) -> Desk:
        """Return the desk of the reader; of most desks, the desk itself."""
        return self

    def open(self) -> None:
        for pool in (self._readers, self._writers):
            pool.open(wait=self._failed is None, timeout=self.seconds)

    def close(self) -> None:
        for pool in (self._readers, self._writers):
            pool.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def ask(self, question: Callable[Concatenate[psycopg.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function with a read-only connection and return its result. Cancelling the task cancels the statement.

        :raises StcError: the function's error, or TimedOut if no connection becomes available in time.
        """
        return await self._work(self._readers, self._reading, question, *args, **kwargs)

    async def ask_behind(
        self, question: Callable[Concatenate[psycopg.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As :meth:`ask`, one call at a time of all sessions of the desk, for what readers wait for less than for results."""
        async with self._behind:
            return await self.ask(question, *args, **kwargs)

    async def ask_often(self, question: Callable[[psycopg.Connection], T], *, seconds: float) -> T:
        """As :meth:`ask`, with one call for all sessions: the result may be some seconds old. An error is not kept."""
        began, task = self._kept.get(question, (0.0, None))
        failed = task is not None and task.done() and (task.cancelled() or task.exception() is not None)
        if task is None or failed or time.monotonic() - began > seconds:
            task = for_all(self.ask(question))
            self._kept[question] = time.monotonic(), task
        return cast(T, await asyncio.shield(task))

    async def write(self, deed: Callable[Concatenate[psycopg.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function with a connection that can write, for judgments and vectors of queries. Otherwise as :meth:`ask`."""
        if self.log is not None:
            deed = self.log.audited(self.role or "", deed)
        return await self._work(self._writers, self._writing, deed, *args, **kwargs)

    async def _work(
        self,
        pool: ConnectionPool[psycopg.Connection],
        share: LoginShare,
        function: Callable[Concatenate[psycopg.Connection, P], T],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        at_work: list[psycopg.Connection] = []
        context, cancelled, ended = copy_context(), threading.Event(), threading.Event()
        context.run(cancelling.set, cancelled)
        context.run(calling.set, _models)
        held = threading.Lock()  # do not return a connection to the pool while its statement is being cancelled

        def work() -> T:
            try:
                with pool.connection() as conn:
                    at_work.append(conn)
                    try:
                        with translate():
                            return function(conn, *args, **kwargs)
                    finally:
                        with held:
                            at_work.clear()
                            ended.set()
            except PoolTimeout as error:
                raise TimedOut(
                    f"no connection to the database became available within {counted(round(pool.timeout), 'second')}",
                    hint="The database is busy or down: check it with 'stc db status', or try again in a moment.",
                ) from error

        def leave() -> None:
            cancelled.set()
            with held:
                for conn in at_work:
                    conn.cancel_safe(timeout=_LEAVE_SECONDS)
            if at_work and not ended.wait(_END_SECONDS):  # a function that somebody wrote can catch the cancellation
                with held:
                    for conn in at_work:
                        self._end(conn.info.backend_pid)

        async with share.take():
            try:
                return await asyncio.get_running_loop().run_in_executor(self._threads, partial(context.run, work))
            except asyncio.CancelledError:
                threading.Thread(target=leave, name="stc-desk-leave").start()
                raise

    def _end(self, backend: int) -> None:
        """End a session of this desk, which a role may do for its own sessions."""
        with suppress(psycopg.Error), open_session(self.dsn, autocommit=True) as conn:
            conn.execute("SELECT pg_terminate_backend(%s)", [backend])


def _check(conn: psycopg.Connection) -> None:
    """Check a connection before it is used. :raises psycopg.OperationalError: it is closed.

    The server sends nothing to an idle connection that is sound, so the check sends a statement, which takes up
    to a millisecond, only if there is something to read, such as the end of the connection.
    """
    waiting = select.poll()
    waiting.register(conn.fileno(), select.POLLIN)
    if waiting.poll(0):
        ConnectionPool.check_connection(conn)
