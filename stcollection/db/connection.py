"""Connect to the collection: its address, and checks of its version."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Ping, TransactionStatus

from stcollection.db.application import name_of_sessions
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.sessions import answers, open_session
from stcollection.db.settings import COLLECTIONS, Settings
from stcollection.errors import StateError, UnknownObject, translate

# The database requested last, which a monitor of this process's sessions uses.
_requested: str | None = None
# Detect a silently broken connection (cable, router, sleeping laptop) within about a minute; by default, libpq waits forever to
# connect and two hours for a dead peer. These settings have no effect on Unix sockets.
_NETWORK = {
    "connect_timeout": "10", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}  # fmt: skip
# Maximum wait for a server that refuses connections because it is starting, recovering or stopping.
_START_SECONDS = 60.0


def watched(settings: Settings, *, application: str) -> tuple[str, str] | None:
    """Return the connection string for a monitor and the application_name to monitor; None before the first named connection.

    :param application: application_name of the monitor itself.
    """
    named = name_of_sessions()
    if named is None or _requested is None:
        return None
    return address(settings, db=_requested, application=application), named


def conninfo(settings: Settings, *, db: str | None = None, application: str | None = None) -> str:
    """Return a libpq connection string of the collection's database; start the embedded server if it is used.

    :param db: another database of the same server.
    :param application: application_name of this session; '' for none, for instance if another program will connect.
    """
    global _requested
    if settings.dsn is None:
        EmbeddedServer(settings.home).ensure()
    _requested = db or settings.db
    return address(settings, db=db, application=application)


def address(settings: Settings, *, db: str | None = None, application: str | None = None) -> str:
    """Return the connection string without starting the embedded server.

    :param application: application_name of this session instead of the name of this process; '' for none.
    """
    name = db or settings.db
    own = name_of_sessions() if application is None else application
    names = {"application_name": own} if own else {"fallback_application_name": "stc"}
    if settings.dsn is None:
        return make_conninfo("", **EmbeddedServer(settings.home).conninfo(), **names, dbname=name)
    options = conninfo_to_dict(settings.dsn)
    chosen = {key for key in _NETWORK if options.get(key)}
    chosen |= {"connect_timeout"} if os.environ.get("PGCONNECT_TIMEOUT") else set()
    if options.get("service") or os.environ.get("PGSERVICE"):  # the service file may set them, and must not be overridden
        chosen |= _NETWORK.keys()
    network = {key: value for key, value in _NETWORK.items() if key not in chosen}
    return make_conninfo(settings.dsn, **names, **network, dbname=name)


def _open(where: str, *, autocommit: bool) -> psycopg.Connection:
    """Connect; wait if the server is starting."""
    deadline = time.monotonic() + _START_SECONDS
    retry = True  # try once more if the server has come up since the failed attempt
    while True:
        try:
            return open_session(where, autocommit=autocommit)
        except psycopg.errors.ConnectionTimeout:  # no server answers; do not retry
            raise
        except psycopg.OperationalError as error:
            if error.sqlstate is not None and not error.sqlstate.startswith("57"):  # the server refuses, and will again
                raise
            answer = answers(where)
            if answer == Ping.REJECT and time.monotonic() < deadline:
                retry = True
            elif answer == Ping.OK and retry:
                retry = False
            else:
                raise
        time.sleep(0.1)


def connect(settings: Settings, *, autocommit: bool = False, check: bool = True) -> psycopg.Connection:
    """Connect to the collection.

    :param check: check that the database is a collection of this version.
    :raises UnknownObject: the database does not exist.
    :raises StateError: the database is not a collection, or was not upgraded to this version.
    :raises DatabaseError: the server cannot be reached or refuses the connection.
    """
    with translate():
        try:
            conn = _open(conninfo(settings), autocommit=autocommit)
        except psycopg.errors.ConnectionTimeout:
            raise
        except psycopg.OperationalError as error:
            if error.sqlstate in (None, "3D000") and _missing(settings):
                close = get_close_matches(settings.db, _databases(settings), n=1)
                meant = f"Did you mean {close[0]!r}? " if close else ""
                raise UnknownObject(
                    f"there is no collection {settings.db!r}",
                    hint=f"{meant}'stc db create {settings.db}' creates it, 'stc show collections' lists all, --db selects one.",
                ) from error
            raise
        if check:
            from stcollection.db.current import in_step
            from stcollection.db.step import check_upgradable, revision  # file scoring has no collection to check

            try:
                if not in_step(conn):
                    check_upgradable(revision(conn), settings.db)
                    raise StateError(
                        f"the collection {settings.db!r} does not match this version of stcollection",
                        hint=f"Run 'stc --db {settings.db} db upgrade'.",
                    )
            except BaseException:
                conn.close()
                raise
            conn.rollback()
        return conn


def _missing(settings: Settings) -> bool:
    """Return True if the database does not exist. Raise the server's error if it cannot be reached."""
    with maintenance(settings) as conn:
        return conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None


def _databases(settings: Settings) -> list[str]:
    """Return the names of the collections of the server."""
    with maintenance(settings) as conn:
        return [name for (name,) in conn.execute(f"{COLLECTIONS} ORDER BY d.datname")]


def maintenance(settings: Settings) -> psycopg.Connection:
    """Connect to the database postgres of the server, or to template1 if postgres refuses."""
    try:
        return _open(conninfo(settings, db="postgres"), autocommit=True)
    except psycopg.errors.ConnectionTimeout:
        raise
    except psycopg.OperationalError:
        with suppress(psycopg.OperationalError):
            return _open(conninfo(settings, db="template1"), autocommit=True)
        raise


def headed(conn: psycopg.Connection, query: Any, values: Sequence[Any] = ()) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the column names and rows of a query."""
    cursor = conn.execute(query, values)
    return [column.name for column in cursor.description or ()], cursor.fetchall()


def vacuum(conn: psycopg.Connection, table: str) -> None:
    """Run VACUUM (ANALYZE) on a table, for index-only scans, in any mode of the connection.

    Do nothing inside the caller's transaction, where PostgreSQL refuses it.
    """
    if conn.info.transaction_status != TransactionStatus.IDLE:
        return
    before = conn.autocommit
    conn.autocommit = True
    try:
        with translate():
            conn.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(*table.split("."))))
    finally:
        conn.autocommit = before
