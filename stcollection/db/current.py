"""Tell whether a database matches this version."""

from __future__ import annotations

import psycopg

from stcollection.db import studies
from stcollection.db.objects import changes, load
from stcollection.db.step import head, revision


def in_step(conn: psycopg.Connection) -> bool:
    """Return True if tables and functions match this version, on one server or distributed."""
    if revision(conn) != head():
        return False
    stored = studies.recorded(conn)
    files = (studies.of_collection(load(distributed=each), stored) for each in (False, True))
    return studies.in_step(stored) and any(changes(conn, some) == ([], []) for some in files)
