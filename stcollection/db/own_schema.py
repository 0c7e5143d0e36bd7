"""A user's schema in a collection, in front of its own: names of the collection can be created again there."""

from __future__ import annotations

import psycopg
from psycopg import sql

from stcollection.errors import BadArgument, translate

_OURS = ("public", "stc", "information_schema")


@translate()
def own_schema(conn: psycopg.Connection, name: str) -> str:
    """Create a schema for the user's tables, views and functions unless it exists.

    :returns: the setting ``search_path`` of a session that creates objects there and finds those of the collection.
    :raises BadArgument: the name is that of the collection's schemas or of PostgreSQL's.
    :raises DatabaseError: the role cannot create a schema.
    """
    if not name.strip() or name in _OURS or name.startswith("pg_") or '"' in name:
        raise BadArgument(
            f"{name!r} cannot be a schema of your own",
            hint=f"Use another name, such as mine; not {', '.join(_OURS)}, pg_…, or a name with quotes.",
            sqlstate="IR202",
        )
    conn.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(name)))
    return f'"{name}",public'
