"""Report when a command waits for a lock, with its holder, or for a server that does not answer.

A thread with a separate connection monitors the sessions of the command and its worker processes by their application_name. Short
commands finish before it connects. It connects to the database ``postgres`` if allowed, because a database with connections cannot
be renamed or used as a template.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from stcollection.db.settings import Settings

if TYPE_CHECKING:
    import psycopg

    from stcollection.db.waits import Wait

_SOON = 3.0  # seconds of waiting before it is reported
_FIRST = 2.0  # seconds until the first check
_PAUSE = 1.0  # seconds between two checks
_AGAIN = 60.0  # seconds until the same wait is reported again

Tell = Callable[[str, str], None]


class Watch:
    """Context manager that monitors the sessions of this process.

    :param tell: called with a sentence and a next step, in another thread.
    """

    def __init__(self, settings: Settings, *, tell: Tell) -> None:
        self._settings = settings
        self._tell = tell
        self._ended = threading.Event()
        self._reported: dict[object, float] = {}
        self._conn: psycopg.Connection | None = None
        self._thread = threading.Thread(target=self._run, name="stc-watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(timeout=1)  # do not wait longer if the server does not answer

    def _run(self) -> None:
        look: threading.Thread | None = None
        while not self._ended.wait(_FIRST if look is None else _PAUSE):
            # A thread per check, because a check of a server that does not answer never ends.
            look = threading.Thread(target=self._look, name="stc-watch-look", daemon=True)
            began = time.monotonic()
            look.start()
            while look.is_alive() and not self._ended.is_set():
                look.join(timeout=0.2)
                if look.is_alive() and time.monotonic() - began > _SOON:
                    self._say(
                        "silence",
                        f"the server has not answered for {time.monotonic() - began:.0f} s; still waiting",
                        "Check its load and the network. Ctrl-C ends the command; committed data is kept.",
                    )
        if self._conn is not None and (look is None or not look.is_alive()):
            self._conn.close()

    def _look(self) -> None:
        import psycopg  # not at module level: help needs no database driver, and short commands no watch

        from stcollection.db.connection import watched
        from stcollection.db.sessions import open_session
        from stcollection.db.waits import waiting, waits

        where = watched(self._settings, application="stc watch")
        if where is None:
            return
        collection, application = where
        try:
            if self._conn is None:
                self._conn = _beside(collection)
            if not waiting(self._conn, application=application):
                return
            with open_session(collection, autocommit=True) as own:  # resolves the names of the tables
                blocking = waits(own, application=application)
        except psycopg.Error:
            # The command will meet and report the error itself. The next check opens a new connection if this one is gone.
            if self._conn is not None:
                with suppress(psycopg.Error):
                    self._conn.close()
            self._conn = None
            return
        for wait in blocking[:1]:
            if wait.seconds is not None and wait.seconds >= _SOON:
                self._say((wait.holder, wait.what), _sentence(wait), f"{wait.way_on}. Ctrl-C ends this command instead.")

    def _say(self, key: object, sentence: str, hint: str) -> None:
        now = time.monotonic()
        if now - self._reported.get(key, float("-inf")) >= _AGAIN:
            self._reported[key] = now
            self._tell(sentence, hint)


def _beside(collection: str) -> psycopg.Connection:
    """Connect to the database postgres of the server, or to the collection if the role may not."""
    import psycopg

    from stcollection.db.sessions import open_session

    try:
        return open_session(collection, dbname="postgres", autocommit=True)
    except psycopg.errors.ConnectionTimeout:
        raise
    except psycopg.OperationalError:
        return open_session(collection, autocommit=True)


def _sentence(wait: Wait) -> str:
    return f"waiting for {wait.what} for {wait.seconds or 0:.0f} s, held by {wait.whom}"
