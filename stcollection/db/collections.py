"""The collections of a server: each a database, told by the comment on it."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import sql

from stcollection.db.connection import maintenance
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, StateError, UnknownObject, translate

# The comment on a database that says it is a collection.
_MARK = "stcollection"
_OLDEST = 170000  # ALTER COLUMN … SET EXPRESSION, builtin C.UTF-8


@dataclass(frozen=True)
class Collection:
    """:param bytes: size on disk."""

    name: str
    bytes: int
    comment: str


@translate()
def collections(settings: Settings) -> list[Collection]:
    """The collections of the server, by name."""
    with maintenance(settings) as conn:
        rows = conn.execute(
            "SELECT datname, pg_database_size(oid), shobj_description(oid, 'pg_database') FROM pg_database"
            " WHERE shobj_description(oid, 'pg_database') LIKE %s ORDER BY datname",
            [_MARK + "%"],
        ).fetchall()
    return [Collection(*row) for row in rows]


@translate()
def create(settings: Settings, *, exist_ok: bool = False) -> bool:
    """Make the database of the collection and put it in step.

    :returns: False if it was there already.
    :raises BadArgument: it is there already, unless ``exist_ok``.
    """
    with maintenance(settings) as conn:
        if conn.info.server_version < _OLDEST:
            raise StateError(
                f"the server is PostgreSQL {conn.info.server_version // 10000}; a collection needs 17 or 18",
                hint="Name another server by STC_DSN, or unset it for the embedded one.",
            )
        made = False
        try:
            conn.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(settings.db)))
            conn.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(settings.db), _MARK))
            made = True
        except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation) as error:
            if not exist_ok:
                raise BadArgument(
                    f"the collection {settings.db!r} exists already",
                    hint="'stc db upgrade' puts it in step, 'stc db reset' empties it, 'stc db drop' removes it.",
                ) from error
    try:
        upgrade(settings)
    except BaseException:
        if made:
            with maintenance(settings) as conn:
                conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(settings.db)))
        raise
    return made


@translate()
def drop(settings: Settings) -> None:
    """Remove the collection and all it holds.

    :raises UnknownObject: there is no such collection; a database that is none is never dropped.
    """
    unknown = UnknownObject(f"there is no collection {settings.db!r}", hint="'stc db list' shows those there are.")
    if settings.db not in {one.name for one in collections(settings)}:
        raise unknown
    with maintenance(settings) as conn:
        try:
            conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(settings.db)))
        except psycopg.errors.InvalidCatalogName as error:  # somebody was quicker
            raise unknown from error


def reset(settings: Settings) -> None:
    """Empty the collection: drop it and make it anew."""
    drop(settings)
    create(settings)
