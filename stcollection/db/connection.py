"""Connections to the collection, and the collections (databases) of a server."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stcollection.db.embedded import Embedded
from stcollection.db.settings import Settings
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


def conninfo(settings: Settings, *, db: str | None = None) -> str:
    """A libpq connection string of the collection's database; starts the embedded server if that is the one.

    :param db: another database of the same server.
    """
    name = db or settings.db
    if settings.dsn is not None:
        return make_conninfo(settings.dsn, dbname=name, application_name="stc")
    server = Embedded(settings.home)
    server.ensure()
    return make_conninfo("", **server.conninfo(), dbname=name, application_name="stc")


def connect(settings: Settings, *, autocommit: bool = False, check: bool = True) -> psycopg.Connection:
    """Connect to the collection.

    :param check: make sure that the database is a collection in step with this version.
    :raises UnknownObject: there is no such database.
    :raises StateError: it is no collection, or not in step.
    :raises DatabaseError: the server is not there, or refuses.
    """
    with translate():
        try:
            conn = psycopg.connect(conninfo(settings), autocommit=autocommit)
        except psycopg.OperationalError as error:
            if _missing(settings):
                raise UnknownObject(
                    f"there is no collection {settings.db!r}",
                    hint=f"'stc db create {settings.db}' makes it, 'stc db list' shows those there are, --db or STC_DB picks one.",
                ) from error
            raise
        if check:
            from stcollection.db.upgrade import in_step

            try:
                if not in_step(conn):
                    raise StateError(
                        f"the collection {settings.db!r} is not in step with this version of stcollection",
                        hint=f"Run 'stc --db {settings.db} db upgrade'.",
                    )
            except BaseException:
                conn.close()
                raise
            conn.rollback()
        return conn


def _missing(settings: Settings) -> bool:
    """Whether the server answers and has no such database; its own error stands where it does not answer."""
    with _maintenance(settings) as conn:
        return conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None


def _maintenance(settings: Settings) -> psycopg.Connection:
    """A connection to the server that is not one to a collection."""
    return psycopg.connect(conninfo(settings, db="postgres"), autocommit=True)


@translate()
def collections(settings: Settings) -> list[Collection]:
    """The collections of the server, by name."""
    with _maintenance(settings) as conn:
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
    from stcollection.db.upgrade import upgrade

    with _maintenance(settings) as conn:
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
            with _maintenance(settings) as conn:
                conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(settings.db)))
        raise
    return made


@translate()
def drop(settings: Settings) -> None:
    """Remove the collection and all it holds.

    :raises UnknownObject: there is no such collection; a database that is none is never dropped.
    """
    if settings.db not in {one.name for one in collections(settings)}:
        raise UnknownObject(f"there is no collection {settings.db!r}", hint="'stc db list' shows those there are.")
    with _maintenance(settings) as conn:
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(settings.db)))


def reset(settings: Settings) -> None:
    """Empty the collection: drop it and make it anew."""
    drop(settings)
    create(settings)
