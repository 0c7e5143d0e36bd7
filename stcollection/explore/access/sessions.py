"""Sessions of signed-in browsers. They exist only in the memory of this process and end with it."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from stcollection.web.desk import Desk
from stcollection.web.shares import Visit

IDLE_SECONDS = 2 * 3600.0
LONGEST_SECONDS = 12 * 3600.0
_MOST_EACH = 20  # sessions of one login; a further one ends the least recently used
_MOST = 2000


@dataclass(eq=False, kw_only=True)
class BrowserSession:
    """One signed-in browser.

    :param who: the name to show. :param visit: its work; the key identifies the login or the invitation.
    :param desk: runs everything that the reader does. :param guest: an invited assessor. :param until: end at the latest.
    :param valid: called now and then; False ends the session. :param seen: time of the last request or input.
    :param left: called once at the end.
    """

    who: str
    visit: Visit
    desk: Desk
    until: float
    seen: float
    guest: bool = False
    valid: Callable[[], bool] = lambda: True
    left: Callable[[], object] = lambda: None


class Sessions:
    """All sessions, by the digest of their cookie.

    :param idle: seconds without requests after which a session ends. :param longest: seconds after which every session ends.
    """

    def __init__(
        self, *, idle: float = IDLE_SECONDS, longest: float = LONGEST_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._idle, self._longest, self._clock = idle, longest, clock
        self._all: dict[bytes, BrowserSession] = {}

    def __len__(self) -> int:
        return len(self._all)

    def until(self, seconds: float | None = None) -> float:
        """Return the end of a session that begins now. :param seconds: a shorter limit."""
        return self._clock() + min(self._longest, self._longest if seconds is None else seconds)

    def now(self) -> float:
        return self._clock()

    def add(self, session: BrowserSession) -> str:
        """Store a session. :returns: a new cookie of 256 random bits. A cookie sent by the browser is never adopted."""
        own = [one for one in self._all.values() if one.visit.key == session.visit.key]
        if len(own) >= _MOST_EACH:
            self.end(min(own, key=lambda one: one.seen))
        if len(self._all) >= _MOST:
            self.end(min(self._all.values(), key=lambda one: one.seen))
        cookie = secrets.token_urlsafe(32)
        self._all[_digest(cookie)] = session
        return cookie

    def find(self, cookie: str | None) -> BrowserSession | None:
        """Return the session of a cookie and note that it is in use; None if it is unknown or has ended."""
        session = self._all.get(_digest(cookie)) if cookie else None
        if session is None:
            return None
        if self._over(session):
            self.end(session)
            return None
        session.seen = self._clock()
        return session

    def end(self, session: BrowserSession) -> None:
        """End a session: its work and uploads are cancelled, and its cookie is worth nothing.

        Ending it twice makes no difference.
        """
        if session.visit.ended:
            return
        self._all = {digest: one for digest, one in self._all.items() if one is not session}
        session.visit.end()
        session.left()

    def end_all(self, which: Callable[[BrowserSession], bool] = lambda _: True) -> None:
        for session in [one for one in self._all.values() if which(one)]:
            self.end(session)

    def sweep(self) -> None:
        """End the sessions whose time is over."""
        self.end_all(self._over)

    def _over(self, session: BrowserSession) -> bool:
        now = self._clock()
        return now >= session.until or now - session.seen >= self._idle or not session.valid()


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()
