"""Claim pages of documents without vectors, so that several embedders can work at once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

_LOOK_UP = "4s"  # interval between checks for stop() while waiting for another's page


class ClaimedTexts(NamedTuple):
    """A document and its texts without vectors."""

    id: int
    title: str | None
    abstract: str | None
    content: str | None


class Claims:
    """Claims on pages in the order of ids, held by a separate session; the server releases them when it ends or is killed.

    The first round takes free pages, and sets :attr:`left` if another embedder holds some. The second round (:meth:`again`) waits
    for these pages, because the other embedder may have died. Start it only after releasing all pages: the session could claim its
    own pages again.

    :param conn: an autocommit connection for this object only. Different threads may call :meth:`take` and :meth:`release`.
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
        """Claim and return the next page; empty at the end of the round."""
        while not self._stopped.is_set():
            page = self._page()
            if not page:
                break
            # Pages are computed from missing vectors in id order, so two pages with the same start are the same page.
            first = page[0].id
            if not self._claim(first):
                self.left, self._after = True, page[-1].id
                continue
            page = self._page()
            if not page or page[0].id != first:  # another embedder has just finished it
                self.release(first)
                continue
            self._after = page[-1].id
            return page
        return []

    def release(self, first: int) -> None:
        """Release the page that starts at this id, after its commit."""
        self._conn.execute("SELECT pg_advisory_unlock(hashtextextended(%s, %s))", self._key(first))

    def again(self) -> None:
        """Start the round that waits for pages of other embedders."""
        self._after, self.left, self.waits = None, False, True

    def stop(self) -> None:
        """Stop taking pages and waiting for them."""
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
        # Wait inside the server, so that monitoring shows the wait if the other embedder never finishes.
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
