"""Build databases under a temporary name until they are complete, so that they are not treated as collections.

The building session holds an advisory lock in the database ``postgres``. A temporary database without the lock is left over from a
killed command, and the next command drops it.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Iterator

import psycopg
from psycopg import sql

from stcollection.db.connection import conninfo, maintenance
from stcollection.db.sessions import open_session
from stcollection.db.settings import MARK, Settings
from stcollection.errors import StateError, translate

_PREFIX = "stc_unfinished_"
_LOCK = 0x57C2  # first half of the lock's key; the second is a hash of the name


def name_for(purpose: str, collection: str) -> str:
    """Return the prefix of the temporary name, which identifies purpose and collection, so that two commands conflict."""
    return _PREFIX + hashlib.sha256(f"{purpose} {collection}".encode()).hexdigest()[:16]


@contextlib.contextmanager
def making(settings: Settings, *, purpose: str, collection: str) -> Iterator[tuple[psycopg.Connection, str]]:
    """Create an empty database with a temporary name; drop it at the end unless it was renamed.

    :param purpose: restore or sample. :param collection: the collection it is for.
    :returns: a connection to the server's ``postgres``, and the name.
    :raises StateError: another command has the same purpose and collection, or this user may not create databases.
    """
    ours = name_for(purpose, collection)
    # A pg_restore whose parent was killed continues; the random suffix keeps it out of the next attempt's database.
    name = f"{ours}_{secrets.token_hex(4)}"
    with maintenance(settings) as admin:
        if not _lock(admin, ours):
            raise StateError(f"another {purpose} of {collection!r} is running", hint="Wait for it to end, then try again.")
        _sweep(admin)
        try:
            admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(name)))
        except psycopg.errors.InsufficientPrivilege as error:
            raise StateError(
                f"{admin.info.user} may not create databases, which a {purpose} needs",
                hint=f"Have an administrator run: ALTER ROLE {sql.Identifier(admin.info.user).as_string(admin)} CREATEDB;",
                sqlstate="42501",
            ) from error
        try:
            comment = f"unfinished {purpose} of {collection}"
            admin.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), comment))
            yield admin, name
        except BaseException:
            # Keep the first error if the server fails again; the next command drops leftovers.
            with contextlib.suppress(psycopg.Error):
                _drop(admin, name)
            raise
        # The connection may be broken.
        with contextlib.suppress(psycopg.OperationalError):
            _drop(admin, name)


def finish(admin: psycopg.Connection, name: str, *, collection: str) -> None:
    """Rename the database, in one transaction with the comment that marks it as a collection."""
    with translate(), admin.transaction():
        admin.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(collection)))
        admin.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(collection), MARK))


def _lock(admin: psycopg.Connection, name: str) -> bool:
    row = admin.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [_LOCK, name]).fetchone()
    return row is not None and bool(row[0])


def _sweep(admin: psycopg.Connection) -> None:
    """Drop leftover databases of killed commands, for any purpose."""
    rows = admin.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
        " AND coalesce(shobj_description(oid, 'pg_database'), 'unfinished ') ~ '^unfinished '"
        " AND pg_has_role(datdba, 'USAGE')",
        [_PREFIX],
    ).fetchall()
    for (name,) in rows:
        ours = name[: len(_PREFIX) + 16]
        if _lock(admin, ours):
            _drop(admin, name)
            admin.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", [_LOCK, ours])


def _drop(admin: psycopg.Connection, name: str) -> None:
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def reach(settings: Settings, name: str) -> psycopg.Connection:
    """Return a connection to the database with this name."""
    return open_session(conninfo(settings, db=name), autocommit=True)
