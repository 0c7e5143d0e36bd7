"""Connections to the collection."""

from __future__ import annotations

import os
import time
from contextlib import suppress

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import PGconn, Ping, TransactionStatus

from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.db.step import in_step
from stcollection.errors import BadArgument, StateError, UnknownObject, translate

# What this process calls itself to the server; the command line adds its process id and the command.
_application: str | None = None
# The database that was asked for last; a watch of this process's sessions looks there.
_asked: str | None = None
# A connection that is cut without a word (a cable, a router, a laptop that sleeps) is noticed within about a minute; libpq itself
# waits for ever to connect, and two hours for a dead peer. Without a meaning for a Unix socket.
_NETWORK = {
    "connect_timeout": "10", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}  # fmt: skip
# A server that starts, recovers or stops lets nobody in; so long it is waited for.
_START_SECONDS = 60.0
_LOCK_TIMEOUT = "60s"


def name_sessions(application: str | None) -> None:
    """Give the sessions of this process, and of its workers, an application_name."""
    global _application
    _application = application


def watched(settings: Settings, *, application: str) -> tuple[str, str] | None:
    """Where a watch is to look, and for sessions of which application_name; None before this process has named them and connected.

    :param application: application_name of the watch itself.
    """
    if _application is None or _asked is None:
        return None
    return address(settings, db=_asked, application=application), _application


def conninfo(settings: Settings, *, db: str | None = None, application: str | None = None) -> str:
    """A libpq connection string of the collection's database; starts the embedded server if that is the one.

    :param db: another database of the same server.
    :param application: an application_name for this session; '' for none, as where another program is to connect.
    """
    global _asked
    if settings.dsn is None:
        EmbeddedServer(settings.home).ensure()
    _asked = db or settings.db
    return address(settings, db=db, application=application)


def address(settings: Settings, *, db: str | None = None, application: str | None = None) -> str:
    """The connection string alone, whether or not the embedded server runs.

    :param application: a name for this session, in the place of the one that the sessions of this process have; '' for none.
    """
    name = db or settings.db
    own = _application if application is None else application
    names = {"application_name": own} if own else {"fallback_application_name": "stc"}
    if settings.dsn is None:
        return make_conninfo("", **EmbeddedServer(settings.home).conninfo(), **names, dbname=name)
    told = conninfo_to_dict(settings.dsn)
    given = {key for key in _NETWORK if told.get(key)}
    given |= {"connect_timeout"} if os.environ.get("PGCONNECT_TIMEOUT") else set()
    if told.get("service") or os.environ.get("PGSERVICE"):  # its file may say them, and what is said here would go before it
        given |= _NETWORK.keys()
    network = {key: value for key, value in _NETWORK.items() if key not in given}
    return make_conninfo(settings.dsn, **names, **network, dbname=name)


def _open(where: str, *, autocommit: bool) -> psycopg.Connection:
    """Connect, and wait for a server that is just starting."""
    deadline = time.monotonic() + _START_SECONDS
    more = True  # one that was up by the time it was asked is tried once more
    while True:
        try:
            return limit_lock_waits(psycopg.connect(where, autocommit=autocommit))
        except psycopg.errors.ConnectionTimeout:  # nobody answers, whatever else is asked
            raise
        except psycopg.OperationalError:
            answer = PGconn.ping(where.encode())
            if answer == Ping.REJECT and time.monotonic() < deadline:
                more = True
            elif answer == Ping.OK and more:
                more = False
            else:
                raise
        time.sleep(0.1)


def limit_lock_waits(conn: psycopg.Connection) -> psycopg.Connection:
    """Set lock_timeout for a new session, unless the server, database, role or PGOPTIONS set one; returns the connection.

    ``STC_LOCK_TIMEOUT`` is the limit, 60 s by default; 0 waits without limit.
    """
    limit = os.environ.get("STC_LOCK_TIMEOUT") or _LOCK_TIMEOUT
    try:
        conn.execute("SELECT set_config('lock_timeout', %s, false) WHERE current_setting('lock_timeout') = '0'", [limit])
    except psycopg.errors.InvalidParameterValue as error:
        conn.close()
        raise BadArgument(f"STC_LOCK_TIMEOUT is {limit!r}", hint="Give a duration, like 60s or 5min; 0 is no limit.") from error
    if not conn.autocommit:
        conn.commit()
    return conn


def connect(settings: Settings, *, autocommit: bool = False, check: bool = True) -> psycopg.Connection:
    """Connect to the collection.

    :param check: make sure that the database is a collection in step with this version.
    :raises UnknownObject: there is no such database.
    :raises StateError: it is no collection, or not in step.
    :raises DatabaseError: the server is not there, or refuses.
    """
    with translate():
        try:
            conn = _open(conninfo(settings), autocommit=autocommit)
        except psycopg.errors.ConnectionTimeout:
            raise
        except psycopg.OperationalError as error:
            if _missing(settings):
                raise UnknownObject(
                    f"there is no collection {settings.db!r}",
                    hint=f"'stc db create {settings.db}' makes it, 'stc db list' shows those there are, --db or STC_DB picks one.",
                ) from error
            raise
        if check:
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
    with maintenance(settings) as conn:
        return conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None


def maintenance(settings: Settings) -> psycopg.Connection:
    """A connection to the server that is not one to a collection: to postgres, or template1 where that does not let one in."""
    try:
        return _open(conninfo(settings, db="postgres"), autocommit=True)
    except psycopg.errors.ConnectionTimeout:
        raise
    except psycopg.OperationalError:
        with suppress(psycopg.OperationalError):
            return _open(conninfo(settings, db="template1"), autocommit=True)
        raise


def vacuum(conn: psycopg.Connection, table: str) -> None:
    """VACUUM (ANALYZE) a table, whatever the mode of the connection, so that index-only scans need not look into it.

    Not at all inside the caller's transaction, where PostgreSQL refuses it.
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
