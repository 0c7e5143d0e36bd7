"""Reservations of documents, so that two pages of one annotator show different documents.

A terminal reserves its document by a lock of its database session (sql/qrels/assessment_lock.sql). Pages share connections, so the
server process records here which page shows which document. This is only a convenience: if two pages show the same document, the
second decision is rejected (sql/qrels/assess_seen.sql).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar
from weakref import WeakKeyDictionary

from stcollection.qrels.judging import JudgingSession, ShownPair, next_token, shown_pair
from stcollection.web.desk import Desk

PROGRAM_SECONDS = 600.0  # a program's reservation; that of a page lasts as long as the page


@dataclass(frozen=True)
class Holder:
    """The browser window, or the program, that reserves a document.

    :param window: id of the browser window; survives a reload. :param session: id of the page's session; does not.
    :param seconds: how long a reservation lasts.
    """

    window: str
    session: str
    seconds: float = math.inf


def program(pool: str, annotator: str, name: str) -> Holder:
    """Return the holder of a program. Two programs of an annotator that use different names get different documents."""
    window = "\0".join(("program", pool, annotator, name))
    return Holder(window, window, PROGRAM_SECONDS)


@dataclass
class Hands:
    """The reserved documents of all sheets, by (pool, annotator, token)."""

    held: dict[tuple[str, str, str], Holder] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
    _until: dict[tuple[str, str, str], float] = field(default_factory=dict)
    _all: ClassVar[WeakKeyDictionary[Desk, Hands]] = WeakKeyDictionary()

    @classmethod
    def of(cls, desk: Desk) -> Hands:
        """Return the instance shared by all pages and programs of a server."""
        return cls._all.setdefault(desk.origin, cls())

    def elsewhere(self, pool: str, annotator: str, holder: Holder) -> list[str]:
        """Return the tokens of a sheet that other windows have reserved."""
        self._expire()
        return [
            token for (of, by, token), one in self.held.items() if (of, by) == (pool, annotator) and one.window != holder.window
        ]

    def everywhere(self, pool: str, annotator: str) -> list[str]:
        """Return the tokens of a sheet that any window has reserved."""
        self._expire()
        return [token for (of, by, token) in self.held if (of, by) == (pool, annotator)]

    def take(self, pool: str, annotator: str, token: str, holder: Holder) -> bool:
        """Reserve a document and release all others. Return False if another window has reserved it."""
        self._expire()
        key = (pool, annotator, token)
        if key in self.held and self.held[key].window != holder.window:
            return False
        self.let_go(holder)
        self.held[key] = holder
        self._until[key] = self.clock() + holder.seconds
        return True

    def let_go(self, holder: Holder) -> None:
        """Release the documents of a page, but not those its window has reserved since a reload."""
        self._release([key for key, one in self.held.items() if one == holder])

    def _expire(self) -> None:
        now = self.clock()
        self._release([key for key, until in self._until.items() if until <= now])

    def _release(self, keys: list[tuple[str, str, str]]) -> None:
        for key in keys:
            del self.held[key], self._until[key]


async def reserve(desk: Desk, hands: Hands, here: JudgingSession, holder: Holder) -> str | None:
    """Reserve the next document to judge that no other window shows, and return its token; None if nothing is left."""
    while True:
        passed = hands.elsewhere(here.pool, here.annotator, holder)
        token = await desk.ask(next_token, here.pool, here.annotator, here.query, passed, queries=here.queries)
        if token is None:
            hands.let_go(holder)
            return None
        if hands.take(here.pool, here.annotator, token, holder):
            return token


async def reserve_pair(
    desk: Desk, hands: Hands, here: JudgingSession, query: str | None, holder: Holder, *, near: str | None = None
) -> ShownPair | None:
    """Reserve the query of the next pair, one that no other window shows, and return the pair; None if nothing is left.

    :param near: a query that comes first.
    """
    sheet = f"pairs of {here.annotator}"
    while True:
        passed = hands.elsewhere(here.pool, sheet, holder)
        shown = await desk.ask(shown_pair, here.pool, here.annotator, query, passed, here.queries, near=near)
        if shown is None:
            hands.let_go(holder)
            return None
        if hands.take(here.pool, sheet, shown.pair.query, holder):
            return shown
