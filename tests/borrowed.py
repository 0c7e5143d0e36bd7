"""A connection in a transaction that is never committed, for tests that share a database."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, Self

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow, tuple_row

from stcollection.db.objects import load

_ON_COMMIT_DROP = re.compile(r"CREATE TEMP(?:ORARY)? TABLE (\w+)[^;]*? ON COMMIT DROP", re.IGNORECASE)
_ISOLATION = re.compile(r"SET TRANSACTION ISOLATION LEVEL [\w ]+", re.IGNORECASE)
_VACUUM = re.compile(r"VACUUM\b(?: \([^)]*\)| ANALYZE)?", re.IGNORECASE)


@cache
def _dropped_on_commit() -> list[str]:
    """The temporary tables that functions of sql/ create for one transaction."""
    return sorted({name for file in load() for name in _ON_COMMIT_DROP.findall(file.text)})


class _Info(psycopg.ConnectionInfo):
    """What programs read of the state of a connection."""

    inside = True

    @property
    def transaction_status(self) -> TransactionStatus:
        actual = super().transaction_status
        return TransactionStatus.IDLE if actual == TransactionStatus.INTRANS and not self.inside else actual

    @property
    def dsn(self) -> str:
        raise AssertionError("another connection sees nothing of this one: give the test the fixture dsn")


class _Cursor(psycopg.Cursor[TupleRow]):
    """A cursor of :class:`Borrowed`."""

    def execute(self, query: Any, *args: Any, **more: Any) -> Self:
        text = query.as_string(self.connection) if isinstance(query, sql.Composable) else query
        if isinstance(text, str) and _VACUUM.match(text):
            query = _VACUUM.sub("ANALYZE", text)
        elif isinstance(text, str) and _ISOLATION.fullmatch(text):  # too late for it, and no other session writes here
            query = "SELECT"
        with self._alone():
            return super().execute(query, *args, **more)

    def executemany(self, *args: Any, **more: Any) -> None:
        with self._alone():
            super().executemany(*args, **more)

    @contextmanager
    def copy(self, *args: Any, **more: Any) -> Iterator[psycopg.Copy]:
        with self._alone(), super().copy(*args, **more) as copy:
            yield copy

    def _alone(self) -> AbstractContextManager[None]:
        assert isinstance(self.connection, Borrowed)
        return self.connection.alone()


class Borrowed(psycopg.Connection[TupleRow]):
    """A connection that seems to be in autocommit mode, inside a transaction that is rolled back at the end.

    A savepoint takes the place of each transaction: a statement that fails leaves what was done before. Temporary tables with
    ON COMMIT DROP are dropped at its end. VACUUM only analyzes, isolation levels are ignored. Three things differ: SET LOCAL lasts
    until the end of the test, now() stands still, and other sessions see nothing.
    """

    _blocks = 0  # of conn.transaction() that are open
    _turn: threading.RLock  # programs may use the connection in several threads

    def begin(self) -> None:
        """Start the transaction."""
        self._turn = threading.RLock()
        self.cursor_factory = _Cursor
        self.pgconn.exec_(b"BEGIN; SET LOCAL stc_test.borrowed = on")

    def undo(self) -> bool:
        """Roll it back, with all that a program has set on the connection.

        :returns: False if there is no connection any more, or something was committed.
        """
        if self.closed or self.pgconn.transaction_status != TransactionStatus.INTRANS:
            return False
        kept = self.execute("SELECT current_setting('stc_test.borrowed', true)").fetchone() == ("on",)
        self.pgconn.exec_(b"ROLLBACK")
        self.pgconn.exec_(b"SELECT pg_advisory_unlock_all()")
        self.row_factory = tuple_row
        self._adapters = None
        self._notice_handlers.clear()
        self._notify_handlers.clear()
        return kept

    @property
    def info(self) -> psycopg.ConnectionInfo:
        info = _Info(self.pgconn)
        info.inside = self._blocks > 0
        return info

    @contextmanager
    def transaction(self, *args: Any, **more: Any) -> Iterator[psycopg.Transaction]:
        with self._turn:
            self._blocks += 1
            try:
                with super().transaction(*args, **more) as transaction:
                    yield transaction
                    if self._blocks == 1 and self.pgconn.transaction_status == TransactionStatus.INTRANS:
                        self._drop_temporary()
            finally:
                self._blocks -= 1

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A savepoint where autocommit mode has a transaction."""
        with self._turn:
            if self._blocks == 0 and self.pgconn.transaction_status == TransactionStatus.INTRANS:
                with self.transaction():
                    yield
            else:
                yield

    def _drop_temporary(self) -> None:
        names = "{" + ",".join(_dropped_on_commit()) + "}"
        with self.lock:
            there = self.pgconn.exec_params(
                b"SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relname = ANY ($1::text[])",
                [names.encode()],
            )
            for row in range(there.ntuples):
                self.pgconn.exec_(b"DROP TABLE pg_temp." + (there.get_value(row, 0) or b""))

    def _set_autocommit(self, value: bool) -> None:
        assert value, "a test that changes the mode needs a database of its own: use the fixture dsn"

    def commit(self) -> None:
        """Do nothing, as in autocommit mode."""

    def rollback(self) -> None:
        """Do nothing, as in autocommit mode."""
