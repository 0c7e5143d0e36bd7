"""Create, list, empty and drop collections. Each is a database, marked by its comment."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import sql

from stcollection.db import distribution
from stcollection.db.connection import connect, maintenance
from stcollection.db.settings import MARK, Settings
from stcollection.db.step import revision
from stcollection.db.versions import check_server, may_create
from stcollection.errors import BadArgument, StateError, UnknownObject, translate


@dataclass(frozen=True)
class ServerCollection:
    """A collection of a server.

    :param bytes: size on disk; None if this role may not connect, which the size requires.
    """

    name: str
    bytes: int | None
    comment: str


@translate()
def collections(settings: Settings) -> list[ServerCollection]:
    """Return the collections of the server, ordered by name."""
    with maintenance(settings) as conn:
        rows = conn.execute(
            "SELECT datname, CASE WHEN has_database_privilege(oid, 'CONNECT') OR pg_has_role('pg_read_all_stats', 'USAGE')"
            "                     THEN pg_database_size(oid) END, shobj_description(oid, 'pg_database') FROM pg_database"
            " WHERE shobj_description(oid, 'pg_database') LIKE %s ORDER BY datname",
            [MARK + "%"],
        ).fetchall()
    return [ServerCollection(*row) for row in rows]


@translate()
def create(settings: Settings, *, exist_ok: bool = False, shards: int | None = None) -> bool:
    """Create the database of the collection and upgrade it to this version.

    :param shards: distribute it; see :func:`create_distributed`.
    :returns: False if it already existed.
    :raises BadArgument: it already exists and ``exist_ok`` is not set.
    """
    if shards is not None:
        return create_distributed(settings, shards=shards, exist_ok=exist_ok)
    with maintenance(settings) as conn:
        check_server(conn)
        made = False
        # Check first, so that a role without the right to create databases can use an existing one.
        if not exist_ok or conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None:
            try:
                _make(conn, settings.db)
                conn.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(settings.db), MARK))
                made = True
            except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation) as error:
                if not exist_ok:
                    raise BadArgument(
                        f"the collection {settings.db!r} already exists",
                        hint="'stc db upgrade' upgrades it, 'stc db reset' empties it, 'stc db drop' removes it.",
                    ) from error
    from stcollection.db.upgrade import upgrade  # slow to import: it needs Alembic and SQLAlchemy

    ours = made or _empty(settings)
    try:
        upgrade(settings)
    except BaseException:
        if made:
            with maintenance(settings) as conn:
                conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(settings.db)))
        raise
    if ours and not made:
        with maintenance(settings) as conn:  # its creator may have been killed before setting the comment
            conn.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(settings.db), MARK))
    return made


@translate()
def create_distributed(settings: Settings, *, shards: int, exist_ok: bool = False) -> bool:
    """Create an empty collection that is distributed over several servers, in a database that is prepared on each of them.

    If it is interrupted, the collection is on one server, or does not exist yet.

    :param shards: number of shards of each table.
    :returns: False if it already existed.
    :raises BadArgument: it already exists and ``exist_ok`` is not set, or ``shards`` is out of range.
    :raises StateError: it exists on one server; the database or its workers are not prepared. Nothing was changed.
    """
    with maintenance(settings) as conn:
        check_server(conn)
        if conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None:
            raise StateError(f"there is no database {settings.db!r}", hint=distribution.PREPARE)
    with connect(settings, check=False) as conn:
        if revision(conn) is not None:
            if exist_ok and distribution.state(conn) is not None:
                return False
            raise BadArgument(
                f"the collection {settings.db!r} already exists",
                hint=f"'stc --db {settings.db} db distribute --shards {shards}' distributes it if it is on one server.",
            )
        distribution.check_cluster(conn, shards)
    create(settings, exist_ok=True)
    distribution.distribute(settings, shards=shards)
    return True


def _empty(settings: Settings) -> bool:
    """Return True if the database contains only extensions; tables or functions may belong to another application."""
    with connect(settings, autocommit=True, check=False) as conn:
        row = conn.execute(
            "SELECT NOT EXISTS (SELECT FROM (SELECT 'pg_class'::regclass, oid FROM pg_class WHERE oid >= 16384"
            " UNION ALL SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE oid >= 16384) AS o (class, oid)"
            " WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype IN ('e', 'i')))"
        ).fetchone()
    return row == (True,)


def _make(conn: psycopg.Connection, name: str) -> None:
    """Create the database from template0, which is empty and allows any encoding.

    Use template1 if this role may not copy template0, or may not create pgvector, which an administrator may have added there.
    """
    templates = ["template0", "template1"]
    if not may_create(conn, "vector"):
        templates.reverse()
    for template in templates:
        try:
            conn.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} ENCODING 'UTF8'").format(sql.Identifier(name), sql.Identifier(template))
            )
        except (
            psycopg.errors.InsufficientPrivilege,
            psycopg.errors.InvalidCatalogName,
            psycopg.errors.ObjectInUse,
            psycopg.errors.InvalidParameterValue,  # another encoding or collation
        ):
            if template == templates[-1]:
                raise
        else:
            return


@translate()
def drop(settings: Settings) -> None:
    """Drop the collection with all its contents.

    :raises UnknownObject: the collection does not exist; other databases are never dropped.
    """
    unknown = UnknownObject(f"there is no collection {settings.db!r}", hint="'stc db list' shows all collections.")
    if settings.db not in {one.name for one in collections(settings)}:
        raise unknown
    with maintenance(settings) as conn:
        name = sql.Identifier(settings.db)
        try:
            conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        except psycopg.errors.InvalidCatalogName as error:  # another session has just dropped it
            raise unknown from error
        except psycopg.errors.InsufficientPrivilege:  # not the owner, or sessions the owner may not end, such as autovacuum
            _drop_unused(conn, settings.db)


def _drop_unused(conn: psycopg.Connection, name: str) -> None:
    """Drop the database without ending sessions, except autovacuum. :raises StateError: other users are connected."""
    try:
        conn.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
    except psycopg.errors.ObjectInUse as error:
        users = [
            row[0]
            for row in conn.execute(
                "SELECT DISTINCT usename::text FROM pg_stat_activity WHERE datname = %s AND usename IS NOT NULL ORDER BY 1", [name]
            )
        ]
        raise StateError(
            f"the collection {name!r} is in use by {', '.join(users) or 'others'}, whose sessions {conn.info.user} may not end",
            hint="Have them disconnect, then run the command again. Nothing was changed.",
        ) from error


def reset(settings: Settings) -> None:
    """Empty the collection: drop it and create it again."""
    drop(settings)
    create(settings)
