"""Find sessions that wait for a lock and the sessions that hold it, from a separate session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row

# pg_blocking_pids returns holders of the lock and sessions ahead in its queue; sessions that do not wait themselves come first.
# Waits between sessions of the same command (its workers) are not reported.
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
_QUERY = 120  # maximum characters of a reported query


@dataclass(frozen=True, kw_only=True)
class Wait:
    """A session that waits for another session.

    :param pid: pid of the waiting session. :param seconds: time waited so far; None if the wait has just begun.
    :param kind: pg_locks.locktype. :param relation: the table or view, if any.
    :param holder: pid of the other session. :param program, user, state: its entries in pg_stat_activity.
    :param query: its query, if it belongs to the same user; queries of other users may contain private data.
    :param open: seconds since its transaction began; None without a transaction (a lock held by the session).
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
        """The object of the wait, in words."""
        if self.relation is not None:  # upgrades and the creation of runs serialise on stc_objects
            return "its turn" if self.relation.removeprefix("public.") == "stc_objects" else self.relation
        if self.kind in ("transactionid", "virtualxid", "tuple", "speculative token"):
            return "uncommitted rows"
        return "its turn" if self.kind == "advisory" else f"a lock ({self.kind})"

    @property
    def whom(self) -> str:
        """The session that it waits for, in words, with the current or last query."""
        about = [self.program or "an unnamed program", *([f"user {self.user}"] if self.user else [])]
        about += [self.state] if self.state else []
        about += [f"transaction open for {self.open:.0f} s"] if self.open is not None else []
        query = " ".join(self.query.split())
        query = query if len(query) <= _QUERY else f"{query[:_QUERY]}…"
        return f"session {self.holder} ({', '.join(about)})" + (f": {query}" if query else "")

    @property
    def way_on(self) -> str:
        """The next step for the user."""
        return f"Have it end its transaction, or terminate it: SELECT pg_terminate_backend({self.holder})"


def waits(conn: psycopg.Connection, *, application: str = "", pids: Sequence[int] = ()) -> list[Wait]:
    """Return the sessions that wait for a lock, longest first; holders that do not wait themselves come first.

    :param application: application_name of the sessions to check. :param pids: further sessions to check.
    """
    with conn.cursor(row_factory=class_row(Wait)) as cursor:
        return cursor.execute(_WAITS, {"application": application, "pids": list(pids)}).fetchall()


def waiting(conn: psycopg.Connection, *, application: str) -> bool:
    """Return True if a session with this application_name waits for a lock in any database of the server."""
    row = conn.execute(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock')", [application]
    ).fetchone()
    return row == (True,)
