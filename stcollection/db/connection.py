"""Connections to the collection."""

from __future__ import annotations

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.pq import TransactionStatus

from stcollection.db.embedded import Embedded
from stcollection.db.settings import Settings
from stcollection.db.step import in_step
from stcollection.errors import StateError, UnknownObject, translate


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
    """A connection to the server that is not one to a collection."""
    return psycopg.connect(conninfo(settings, db="postgres"), autocommit=True)


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
            conn.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))
    finally:
        conn.autocommit = before
