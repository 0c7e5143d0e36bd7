"""Return names in a collection for shell completion: fast, only from a running server, and without raising errors."""

from __future__ import annotations

from typing import Literal

import psycopg

from stcollection.db.connection import address
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.sessions import open_session
from stcollection.db.settings import COLLECTIONS, Settings
from stcollection.errors import StcError

Stored = Literal["collections", "editions", "runs", "sets", "systems"]

_QUERIES: dict[Stored, str] = {
    "collections": COLLECTIONS,
    "editions": "SELECT edition FROM qrels_editions",
    "runs": "SELECT run FROM runs",
    "sets": "SELECT name FROM stc.query_sets",
    "systems": "SELECT system FROM public.systems",
}
_MOST = 200


def stored_names(settings: Settings, kind: Stored, *, start: str = "") -> list[str]:
    """Return the names of a kind with this beginning, in order, at most 200.

    Empty if no server answers within two seconds. A stopped embedded server is not started.
    """
    if settings.embedded and EmbeddedServer(settings.home).pid() is None:
        return []
    statement = f"SELECT name FROM ({_QUERIES[kind]}) AS s(name) WHERE starts_with(name, %s) ORDER BY name LIMIT %s"  # noqa: S608
    where = address(settings, db="postgres" if kind == "collections" else None)
    try:
        with open_session(where, connect_timeout=2, limits={"statement_timeout": "2s"}) as conn:
            return [name for (name,) in conn.execute(statement, [start, _MOST])]
    except (psycopg.Error, StcError, OSError):
        return []
