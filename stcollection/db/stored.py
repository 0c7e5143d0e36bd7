"""Names that a collection holds, for the completion of a shell: asked quickly, of a server that is up, and never an error."""

from __future__ import annotations

from typing import Literal

import psycopg

from stcollection.db.connection import address
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.errors import StcError

Stored = Literal["collections", "editions", "runs"]

_QUERIES: dict[Stored, str] = {
    "collections": "SELECT datname FROM pg_database WHERE shobj_description(oid, 'pg_database') LIKE 'stcollection%%'",
    "editions": "SELECT edition FROM qrels_editions",
    "runs": "SELECT run FROM runs",
}
_MOST = 200


def stored_names(settings: Settings, kind: Stored, *, start: str = "") -> list[str]:
    """Return the names of a kind that begin so, in order, at most 200.

    Empty where no server answers within two seconds. An embedded server that is down stays down.
    """
    if settings.embedded and EmbeddedServer(settings.home).pid() is None:
        return []
    statement = f"SELECT name FROM ({_QUERIES[kind]}) AS s(name) WHERE starts_with(name, %s) ORDER BY name LIMIT %s"  # noqa: S608
    where = address(settings, db="postgres" if kind == "collections" else None)
    try:
        with psycopg.connect(where, connect_timeout=2, options="-c statement_timeout=2s") as conn:
            return [name for (name,) in conn.execute(statement, [start, _MOST])]
    except (psycopg.Error, StcError, OSError):
        return []
