"""Databases that are being made: under a temporary name until they are whole, so that nobody takes them for a collection.

Whoever makes one holds an advisory lock in the database ``postgres``. One without the lock is what a killed command left, and the
next command removes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Iterator

import psycopg
from psycopg import sql

from stcollection.db.collections import MARK
from stcollection.db.connection import conninfo, maintenance
from stcollection.db.settings import Settings
from stcollection.errors import StateError, translate

_PREFIX = "stc_unfinished_"
_LOCK = 0x57C2  # the first half of the lock's key; the second is of the name


def name_for(purpose: str, collection: str) -> str:
    """How the temporary name begins: the same for each purpose and collection, so that two commands meet in it."""
    return _PREFIX + hashlib.sha256(f"{purpose} {collection}".encode()).hexdigest()[:16]


@contextlib.contextmanager
def making(settings: Settings, *, purpose: str, collection: str) -> Iterator[tuple[psycopg.Connection, str]]:
    """An empty database under a temporary name; it is removed at the end, unless it was renamed.

    :param purpose: restore, sample. :param collection: what it is made for.
    :returns: a connection to the server's ``postgres``, and the name.
    :raises StateError: another command makes the same.
    """
    ours = name_for(purpose, collection)
    # A pg_restore whose command was killed goes on, and finds no database of the next attempt.
    name = f"{ours}_{secrets.token_hex(4)}"
    with maintenance(settings) as admin:
        if not _lock(admin, ours):
            raise StateError(f"another {purpose} of {collection!r} is under way", hint="Wait for it to end, then try again.")
        _sweep(admin)
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(name)))
        try:
            comment = f"unfinished {purpose} of {collection}"
            admin.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), comment))
            yield admin, name
        except BaseException:
            # The first error counts, whatever a server in trouble says next; the next command removes what is left.
            with contextlib.suppress(psycopg.Error):
                _drop(admin, name)
            raise
        # The connection may be what broke.
        with contextlib.suppress(psycopg.OperationalError):
            _drop(admin, name)


def finish(admin: psycopg.Connection, name: str, *, collection: str) -> None:
    """Give the database its name, in one transaction with the comment that makes it a collection."""
    with translate(), admin.transaction():
        admin.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(collection)))
        admin.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(collection), MARK))


def _lock(admin: psycopg.Connection, name: str) -> bool:
    row = admin.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [_LOCK, name]).fetchone()
    return row is not None and bool(row[0])


def _sweep(admin: psycopg.Connection) -> None:
    """Remove what killed commands left, whatever it was to become."""
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
    """A connection to the database under its temporary name."""
    return psycopg.connect(conninfo(settings, db=name), autocommit=True)
