"""Pages of documents that lack vectors, each claimed by one embedder among several."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

_LOOK_UP = "4s"  # so long it waits for another's page before it looks whether it is to stop


class ClaimedTexts(NamedTuple):
    """A document and its texts that lack vectors."""

    id: int
    title: str | None
    abstract: str | None
    content: str | None


class Claims:
    """Claimed pages in the order of ids, by a session of its own: what the session holds ends with it, also where it is killed.

    A first round takes what is free, and notes in :attr:`left` that another held some of it. A second (:meth:`again`) waits for the
    others' pages: they may have died. It may only begin when all pages taken are released: the session would take its own again.

    :param conn: an autocommit connection for this alone; :meth:`take` and :meth:`release` may be called by different threads.
    """

    def __init__(self, conn: psycopg.Connection, *, model: str, fields: Sequence[str], rows: int) -> None:
        self._conn = conn
        self._model = model
        self._fields = list(fields)
        self._rows = rows
        self._after: int | None = None
        self._stopped = threading.Event()
        self.left = False
        self.waits = False

    def take(self) -> list[ClaimedTexts]:
        """The next page, ours until it is released; empty at the end of the round."""
        while not self._stopped.is_set():
            page = self._page()
            if not page:
                break
            # Pages follow from what lacks vectors, in the order of ids: two that begin alike are the same.
            first = page[0].id
            if not self._claim(first):
                self.left, self._after = True, page[-1].id
                continue
            page = self._page()
            if not page or page[0].id != first:  # another has just finished it
                self.release(first)
                continue
            self._after = page[-1].id
            return page
        return []

    def release(self, first: int) -> None:
        """Let go of the page that begins there, once it is committed."""
        self._conn.execute("SELECT pg_advisory_unlock(hashtextextended(%s, %s))", self._key(first))

    def again(self) -> None:
        """Begin the round that waits for others."""
        self._after, self.left, self.waits = None, False, True

    def stop(self) -> None:
        """No page is taken from now on, nor waited for."""
        self._stopped.set()

    def _key(self, first: int) -> list[object]:
        return [f"stc embed {self._model}", first]

    def _page(self) -> list[ClaimedTexts]:
        with self._conn.cursor(row_factory=class_row(ClaimedTexts)) as cursor:
            return cursor.execute(
                "SELECT id, title, abstract, content FROM stc.unembedded(%s, %s, %s, %s)",
                [self._model, self._after, self._rows, self._fields],
            ).fetchall()

    def _claim(self, first: int) -> bool:
        if not self.waits:
            tried = self._conn.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, %s))", self._key(first))
            return tried.fetchone() == (True,)
        # A wait that the server knows of is one that a watch can tell, should the other never come to its end.
        [(before,)] = self._conn.execute("SHOW lock_timeout").fetchall()
        while not self._stopped.is_set():
            self._conn.execute("SELECT set_config('lock_timeout', %s, false)", [_LOOK_UP])
            try:
                self._conn.execute("SELECT pg_advisory_lock(hashtextextended(%s, %s))", self._key(first))
            except psycopg.errors.LockNotAvailable:
                continue
            finally:
                self._conn.execute("SELECT set_config('lock_timeout', %s, false)", [before])
            return True
        return False
