"""Which sessions wait for a lock, for what, and for whom; asked by a session of its own, since the one that waits cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row

# pg_blocking_pids names those that hold the lock and those before us in its queue; one that waits for nobody is told first.
# Sessions of one command (its workers) that wait for each other are none of the user's business.
_WAITS = """
SELECT w.pid, extract(epoch FROM clock_timestamp() - l.waitstart)::float AS seconds, l.locktype AS kind,
       CASE WHEN l.locktype = 'relation' THEN l.relation::regclass::text END AS relation,
       b.pid AS holder, coalesce(b.application_name, '') AS program, b.usename::text AS user, coalesce(b.state, '') AS state,
       extract(epoch FROM clock_timestamp() - b.xact_start)::float AS open,
       CASE WHEN b.usename = session_user THEN coalesce(b.query, '') ELSE '' END AS query
  FROM pg_stat_activity w
  JOIN pg_locks l ON l.pid = w.pid AND NOT l.granted
  JOIN pg_stat_activity b ON b.pid = ANY (pg_blocking_pids(w.pid))
 WHERE w.datname = current_database() AND (w.application_name = %(application)s OR w.pid = ANY (%(pids)s))
   AND b.application_name IS DISTINCT FROM nullif(%(application)s, '')
 ORDER BY l.waitstart, coalesce(b.wait_event_type = 'Lock', false), b.xact_start
"""
_QUERY = 120  # characters of it that are told


@dataclass(frozen=True, kw_only=True)
class Wait:
    """One session that waits for another.

    :param pid: of the session that waits. :param seconds: so long by now, None just when it begins.
    :param kind: pg_locks.locktype. :param relation: the table or view, where it is one.
    :param holder: pid of the other session. :param program, user, state: as pg_stat_activity has them of it.
    :param query: likewise, if it is the same user's; another user's query may hold what is not ours to read.
    :param open: seconds since its transaction began, None where it has none (a lock held by the session).
    """

    pid: int
    seconds: float | None
    kind: str
    relation: str | None
    holder: int
    program: str
    user: str | None
    state: str
    open: float | None
    query: str

    @property
    def what(self) -> str:
        """What it waits for, in words."""
        if self.relation is not None:  # stc_objects is what upgrades and runs in the making take turns by
            return "its turn" if self.relation.removeprefix("public.") == "stc_objects" else self.relation
        if self.kind in ("transactionid", "virtualxid", "tuple", "speculative token"):
            return "rows that are not committed"
        return "its turn" if self.kind == "advisory" else f"a lock ({self.kind})"

    @property
    def whom(self) -> str:
        """The session it waits for, in words, with what that does or did last."""
        about = [self.program or "a program without a name", *([f"user {self.user}"] if self.user else [])]
        about += [self.state] if self.state else []
        about += [f"its transaction open for {self.open:.0f} s"] if self.open is not None else []
        query = " ".join(self.query.split())
        query = query if len(query) <= _QUERY else f"{query[:_QUERY]}…"
        return f"session {self.holder} ({', '.join(about)})" + (f": {query}" if query else "")

    @property
    def way_on(self) -> str:
        """What the user can do."""
        return f"Let it end its transaction, or end it: SELECT pg_terminate_backend({self.holder})"


def waits(conn: psycopg.Connection, *, application: str = "", pids: Sequence[int] = ()) -> list[Wait]:
    """The sessions that wait for a lock, the longest first; of several that hold it the one that waits for nobody first.

    :param application: application_name of the sessions to look at. :param pids: further sessions to look at.
    """
    with conn.cursor(row_factory=class_row(Wait)) as cursor:
        return cursor.execute(_WAITS, {"application": application, "pids": list(pids)}).fetchall()


def waiting(conn: psycopg.Connection, *, application: str) -> bool:
    """Whether a session of that name waits for a lock, in whichever database of the server."""
    row = conn.execute(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock')", [application]
    ).fetchone()
    return row == (True,)
