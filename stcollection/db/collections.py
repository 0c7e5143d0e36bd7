"""Create, list, empty and drop collections. Each is a database, marked by its comment."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import psycopg
from psycopg import sql

from stcollection.counts import first_of
from stcollection.db import adoption, distribution
from stcollection.db.connection import address, connect, maintenance
from stcollection.db.roles import ROLES
from stcollection.db.sessions import open_session
from stcollection.db.settings import COLLECTIONS, MARK, Settings
from stcollection.db.step import revision
from stcollection.db.uninstall import others
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


# Databases that may be collections without a mark, as after pg_restore: those of this login, and the one it named.
_DATABASES = f"""
SELECT d.datname,
       CASE WHEN has_database_privilege(d.oid, 'CONNECT') OR pg_has_role('pg_read_all_stats', 'USAGE')
            THEN pg_database_size(d.oid) END,
       coalesce(c.comment, ''), m.datname IS NOT NULL
  FROM pg_database d LEFT JOIN ({COLLECTIONS}) m ON m.datname = d.datname
 CROSS JOIN LATERAL (SELECT shobj_description(d.oid, 'pg_database')) AS c (comment)
 WHERE m.datname IS NOT NULL
    OR (d.datname = %(db)s OR d.datdba = current_user::regrole) AND d.datallowconn AND NOT d.datistemplate
       AND coalesce(c.comment, '') NOT LIKE 'unfinished %%' AND has_database_privilege(d.oid, 'CONNECT')
 ORDER BY d.datname
"""  # noqa: S608


@translate()
def collections(settings: Settings) -> list[ServerCollection]:
    """Return the collections of the server, ordered by name."""
    with maintenance(settings) as conn:
        rows = conn.execute(_DATABASES, {"db": settings.db}).fetchall()
    return [ServerCollection(*row) for *row, marked in rows if marked or _is_collection(settings, row[0])]


def _is_collection(settings: Settings, name: str) -> bool:
    with suppress(psycopg.Error), open_session(address(settings, db=name), autocommit=True) as conn:
        return revision(conn) is not None
    return False


@translate()
def create(settings: Settings, *, exist_ok: bool = False, shards: int | None = None) -> bool:
    """Create the database of the collection and upgrade it to this version.

    :param shards: distribute it; see :func:`create_distributed`.
    :returns: False if it already existed.
    :raises BadArgument: it already exists and ``exist_ok`` is not set.
    :raises StateError: the database exists, is not a collection and not empty; an empty one is used.
    """
    if shards is not None:
        return create_distributed(settings, shards=shards, exist_ok=exist_ok)
    with maintenance(settings) as conn:
        check_server(conn)
        created = False
        # Check first, so that a role without the right to create databases can use an existing one.
        if conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None:
            try:
                _make(conn, settings.db)
                _mark(conn, settings.db)
                created = True
            except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                pass  # another session has just created it
            except psycopg.errors.InsufficientPrivilege as error:
                raise StateError(
                    f"{conn.info.user} may not create the database {settings.db!r}",
                    hint=f"Have an administrator create it: {_premade(conn, settings.db)} Then run the command again.",
                    sqlstate="42501",
                ) from error
    from stcollection.db.upgrade import upgrade  # slow to import: it needs Alembic and SQLAlchemy

    empty = created or not _installed(settings, exist_ok=exist_ok)
    try:
        step = upgrade(settings)
    except BaseException:
        if created:
            with maintenance(settings) as conn:
                conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(settings.db)))
        raise
    if empty and step.before is not None:  # another session has created it meanwhile
        return not _installed(settings, exist_ok=exist_ok)
    return empty


def _mark(conn: psycopg.Connection, name: str) -> None:
    conn.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), MARK))


def _premade(conn: psycopg.Connection, name: str) -> str:
    """Return the statement that creates the database for this user."""
    database, owner = sql.Identifier(name).as_string(conn), sql.Identifier(conn.info.user).as_string(conn)
    return f"CREATE DATABASE {database} OWNER {owner} TEMPLATE template0 ENCODING 'UTF8';"


def _installed(settings: Settings, *, exist_ok: bool) -> bool:
    """Return True if the existing database is a collection, False if it is empty.

    :raises BadArgument: it is a collection, and ``exist_ok`` is not set. :raises StateError: it contains objects of others.
    """
    with connect(settings, check=False) as conn:
        if revision(conn) is None:
            if not adoption.is_ours(adoption.comment(conn)):
                adoption.check_unused(conn, settings.db)
            return False
    if not exist_ok:
        raise BadArgument(
            f"the collection {settings.db!r} already exists",
            hint="'stc db upgrade' upgrades it, 'stc db reset' empties it, 'stc db drop' removes it.",
        )
    return True


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
    :raises StateError: stcollection did not create the database, and it contains objects of others.
    """
    unknown = UnknownObject(f"there is no collection {settings.db!r}", hint="'stc show collections' shows all collections.")
    comments = {row.name: row.comment for row in collections(settings)}
    if settings.db not in comments:
        raise unknown
    if not comments[settings.db].startswith(MARK):
        with connect(settings, check=False) as conn:
            objects = others(conn)
        if objects:
            raise StateError(
                f"the database {settings.db!r} also contains {first_of(objects)}",
                hint=f"'stc --db {settings.db} db uninstall' removes the collection and leaves the rest. Nothing was changed.",
            )
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


# Logins without other rights or objects, on this server, than those that the collection gave them.
_LOGINS = """
SELECT r.rolname::text
  FROM pg_database d CROSS JOIN LATERAL (SELECT DISTINCT a.grantee FROM aclexplode(d.datacl) a) g
  JOIN pg_roles r ON r.oid = g.grantee AND r.rolcanlogin AND r.rolname <> current_user
 WHERE d.datname = %(db)s AND NOT (r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolbypassrls OR r.rolreplication)
   AND ARRAY(SELECT m.roleid::regrole::text FROM pg_auth_members m WHERE m.member = r.oid) <@ %(roles)s::text[]
   AND EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid)
   AND NOT EXISTS (SELECT FROM pg_shdepend s
                    WHERE s.refclassid = 'pg_authid'::regclass AND s.refobjid = r.oid AND s.dbid <> d.oid
                      AND s.classid <> 'pg_auth_members'::regclass
                      AND NOT (s.classid = 'pg_database'::regclass AND s.objid = d.oid))
   AND NOT EXISTS (SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid AND s.setdatabase NOT IN (0, d.oid))
 ORDER BY r.rolname COLLATE "C"
"""


@translate()
def own_logins(settings: Settings) -> list[str]:
    """Return the logins that only this collection uses."""
    with maintenance(settings) as conn:
        rows = conn.execute(_LOGINS, {"db": settings.db, "roles": list(ROLES)}).fetchall()
    return [name for (name,) in rows]


@translate()
def drop_logins(settings: Settings, names: Sequence[str]) -> list[str]:
    """Drop logins after their collection. :returns: those that stay, because others use them by now or this user may not."""
    stay = []
    with maintenance(settings) as conn:
        for name in names:
            try:
                conn.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name)))
            except (psycopg.errors.DependentObjectsStillExist, psycopg.errors.InsufficientPrivilege, psycopg.errors.ObjectInUse):
                stay.append(name)
    return stay


@translate()
def reset(settings: Settings) -> None:
    """Empty the collection: drop it and create it again.

    :raises StateError: this user may not create databases. Nothing was changed.
    """
    with maintenance(settings) as conn:
        if conn.execute("SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user").fetchone() != (True,):
            raise StateError(
                f"{conn.info.user} may not create databases, so {settings.db!r} is not dropped",
                hint=f"Empty it with 'stc --db {settings.db} db uninstall', then 'stc --db {settings.db} db upgrade'.",
                sqlstate="42501",
            )
    drop(settings)
    create(settings)
