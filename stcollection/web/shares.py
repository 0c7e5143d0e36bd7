"""Share what the page has only some of (connections, uploads, open pages, requests) between the people who use it.

Each signed-in login and each invited assessor has a share, whatever the others do. Work has a time limit, and ends with the session
that it belongs to. Without sign-in everybody is the same reader.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stcollection.counts import counted
from stcollection.errors import StateError
from stcollection.texts import later

T = TypeVar("T")


class TimedOut(StateError):
    """A request cannot be answered in time; later it may be."""


@dataclass(eq=False)
class Visit:
    """A session's work. :param key: the login or invitation; its sessions have one share."""

    key: str
    ended: bool = False
    work: set[asyncio.Task[Any]] = field(default_factory=set)

    def end(self) -> None:
        """Cancel the work."""
        self.ended = True
        for task in list(self.work):
            task.cancel()


visiting: ContextVar[Visit | None] = ContextVar("visiting", default=None)  # None: work of the page itself, or no sign-in


def for_all(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start work whose result all readers share. It belongs to no session, although one of them causes it."""
    context = copy_context()
    context.run(visiting.set, None)
    return asyncio.create_task(work, context=context)


class LoginShare:
    """Room for work of one kind.

    :param what: a noun for messages. :param total: pieces of work at the same time. :param each: of one login or invitation.
    :param outside: of those without a session together; None: all. :param wait: maximum seconds to wait for room.
    :param seconds: maximum duration of a piece of work. :param cancelled: the end of the session cancels the work.
    """

    def __init__(
        self,
        what: str,
        *,
        total: int,
        each: int,
        outside: int | None = None,
        wait: float,
        seconds: float | None,
        cancelled: bool = True,
    ) -> None:
        self.wait, self._what, self._each, self._outside, self._seconds = wait, what, each, outside or total, seconds
        self._cancelled = cancelled
        self._all = asyncio.Semaphore(total)
        self._own: dict[str | None, asyncio.Semaphore] = {}
        self._users: defaultdict[str | None, int] = defaultdict(int)  # at work or waiting

    @asynccontextmanager
    async def take(self, key: str | None = None) -> AsyncIterator[None]:
        """Do the work of the block in the share of the current session. :param key: in another share.

        :raises TimedOut: no room became free, or the work took too long. :raises StateError: the session has ended.
        """
        visit = visiting.get()
        async with self._room(key or (None if visit is None else visit.key)):
            if visit is None or not self._cancelled:
                async with self._timed():
                    yield
                return
            if visit.ended:
                raise StateError(later("the session has ended"), hint=later("Sign in again."), sqlstate="IR410")
            task = asyncio.current_task()
            assert task is not None  # noqa: S101
            outer = task in visit.work  # a part of work that is registered already
            visit.work.add(task)
            try:
                async with self._timed():
                    yield
            finally:
                if not outer:
                    visit.work.discard(task)

    @asynccontextmanager
    async def _room(self, key: str | None) -> AsyncIterator[None]:
        own = self._own.setdefault(key, asyncio.Semaphore(self._outside if key is None else self._each))
        self._users[key] += 1
        entered: list[asyncio.Semaphore] = []
        try:
            try:
                async with asyncio.timeout(self.wait):
                    for room in (own, self._all):
                        await room.acquire()
                        entered.append(room)
            except TimeoutError:
                who = "" if key is None else " for all readers" if entered else " for this login"
                raise TimedOut(
                    f"no {self._what} became available{who} within {counted(round(self.wait), 'second')}",
                    hint="Wait until other requests have ended, then try again.",
                ) from None
            yield
        finally:
            for room in entered:
                room.release()
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._own[key]

    @asynccontextmanager
    async def _timed(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._seconds) as limit:
                yield
        except TimeoutError:
            if not limit.expired():
                raise
            raise TimedOut(
                f"the request took longer than {counted(round(self._seconds or 0), 'second')}",
                hint="Ask for less, or use the command line.",
            ) from None
