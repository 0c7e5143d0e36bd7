"""More sessions that search the queries of a run."""

from __future__ import annotations

import threading
from contextlib import suppress
from types import TracebackType

import psycopg

from stcollection.db.sessions import another_session

_PAUSE = 0.2  # seconds


class OtherSessions:
    """Sessions that search queries of an unfinished run (sql/retrieval/search_queries.sql); a context manager.

    A session that cannot connect, or fails, ends; the caller's session searches the rest and raises the error of a query itself.

    :param conn: the caller's connection. The others connect as the same login.
    :param count: number of sessions; 0 and less: none.
    :param seconds: duration of a batch.
    """

    def __init__(self, conn: psycopg.Connection, unfinished: int, *, count: int, seconds: float) -> None:
        self._conn, self._unfinished, self._count, self._seconds = conn, unfinished, count, seconds
        self._threads: list[threading.Thread] = []
        self._sessions: list[psycopg.Connection] = []
        self._committed, self._ended = threading.Event(), threading.Event()

    def start(self) -> None:
        """Open the sessions, unless they are open. A short run, whose first batch has all queries, needs none."""
        while len(self._threads) < self._count:
            thread = threading.Thread(target=self._search, name="stc-search", daemon=True)
            self._threads.append(thread)
            thread.start()

    def wait(self) -> bool:
        """Wait a little, until one of the sessions commits a batch. :returns: whether one is searching."""
        self._committed.wait(_PAUSE)
        self._committed.clear()
        return any(thread.is_alive() for thread in self._threads)

    def _search(self) -> None:
        with suppress(psycopg.Error), another_session(self._conn) as conn:
            self._sessions.append(conn)
            statement = "SELECT taken, stopped FROM stc.search_queries(%s, %s)"
            while not self._ended.is_set():
                [[taken, stopped]] = conn.execute(statement, [self._unfinished, self._seconds])
                self._committed.set()
                if stopped or not taken:
                    return

    def __enter__(self) -> OtherSessions:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End the sessions; batches that they have not committed are rolled back."""
        self._ended.set()
        for thread in self._threads:
            while thread.is_alive():  # again, because a statement may begin just after it was cancelled
                for conn in list(self._sessions):
                    with suppress(psycopg.Error):
                        conn.cancel_safe(timeout=2)
                thread.join(_PAUSE)
