"""The collections of a server: each a database, told by the comment on it."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import sql

from stcollection.db.connection import connect, maintenance
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.db.versions import check_server, may_create
from stcollection.errors import BadArgument, StateError, UnknownObject, translate

# The comment on a database that says it is a collection.
MARK = "stcollection"


@dataclass(frozen=True)
class ServerCollection:
    """A collection of a server.

    :param bytes: size on disk; None if this role may not connect, since the size needs that right.
    """

    name: str
    bytes: int | None
    comment: str


@translate()
def collections(settings: Settings) -> list[ServerCollection]:
    """The collections of the server, by name."""
    with maintenance(settings) as conn:
        rows = conn.execute(
            "SELECT datname, CASE WHEN has_database_privilege(oid, 'CONNECT') OR pg_has_role('pg_read_all_stats', 'USAGE')"
            "                     THEN pg_database_size(oid) END, shobj_description(oid, 'pg_database') FROM pg_database"
            " WHERE shobj_description(oid, 'pg_database') LIKE %s ORDER BY datname",
            [MARK + "%"],
        ).fetchall()
    return [ServerCollection(*row) for row in rows]


@translate()
def create(settings: Settings, *, exist_ok: bool = False) -> bool:
    """Make the database of the collection and put it in step.

    :returns: False if it was there already.
    :raises BadArgument: it is there already, unless ``exist_ok``.
    """
    with maintenance(settings) as conn:
        check_server(conn)
        made = False
        # Looked for first, so that a role that may not create databases finds the one that is there.
        if not exist_ok or conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None:
            try:
                _make(conn, settings.db)
                conn.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(settings.db), MARK))
                made = True
            except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation) as error:
                if not exist_ok:
                    raise BadArgument(
                        f"the collection {settings.db!r} exists already",
                        hint="'stc db upgrade' puts it in step, 'stc db reset' empties it, 'stc db drop' removes it.",
                    ) from error
    ours = made or _empty(settings)
    try:
        upgrade(settings)
    except BaseException:
        if made:
            with maintenance(settings) as conn:
                conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(settings.db)))
        raise
    if ours and not made:
        with maintenance(settings) as conn:  # the one that made it may have been killed before it said what it is
            conn.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(settings.db), MARK))
    return made


def _empty(settings: Settings) -> bool:
    """Whether the database contains nothing but extensions; one with tables or functions may be another application's."""
    with connect(settings, autocommit=True, check=False) as conn:
        row = conn.execute(
            "SELECT NOT EXISTS (SELECT FROM (SELECT 'pg_class'::regclass, oid FROM pg_class WHERE oid >= 16384"
            " UNION ALL SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE oid >= 16384) AS o (class, oid)"
            " WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype IN ('e', 'i')))"
        ).fetchone()
    return row == (True,)


def _make(conn: psycopg.Connection, name: str) -> None:
    """CREATE DATABASE from template0, which is empty and allows any encoding.

    From template1 where this role may not create pgvector, which the administrator may have put there, or may not copy template0.
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
    """Remove the collection and all it holds.

    :raises UnknownObject: there is no such collection; a database that is none is never dropped.
    """
    unknown = UnknownObject(f"there is no collection {settings.db!r}", hint="'stc db list' shows those there are.")
    if settings.db not in {one.name for one in collections(settings)}:
        raise unknown
    with maintenance(settings) as conn:
        name = sql.Identifier(settings.db)
        try:
            conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        except psycopg.errors.InvalidCatalogName as error:  # somebody was quicker
            raise unknown from error
        except psycopg.errors.InsufficientPrivilege:  # not its owner's; or sessions that its owner may not end, as an autovacuum's
            _drop_unused(conn, settings.db)


def _drop_unused(conn: psycopg.Connection, name: str) -> None:
    """DROP DATABASE without ending sessions, except autovacuum's. :raises StateError: others use it; they are named."""
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
            hint="Let them disconnect, then run the command again. Nothing was changed.",
        ) from error


def reset(settings: Settings) -> None:
    """Empty the collection: drop it and make it anew."""
    drop(settings)
    create(settings)
