"""The notes."""

from __future__ import annotations

import psycopg

from stcollection.declared import declare


@declare
def count_notes(conn: psycopg.Connection) -> int:
    """Return the number of notes."""
    [(count,)] = conn.execute("SELECT stc.toy_count()").fetchall()
    return int(count)
