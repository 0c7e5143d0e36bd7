"""The login of an assistant: it has the rights of a reader, and so no statement can gain more by RESET ROLE."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stcollection.db.connection import connect, conninfo
from stcollection.db.sessions import open_session, pinned
from stcollection.db.settings import Settings
from stcollection.errors import StateError, translate
from stcollection.mcp import AnswerLimits

PREFIX = "stc_mcp_"
_HINT = (
    "Add a login with 'stc db user assistant --role reader --prompt', and start the server with it: "
    "STC_DSN='host=… dbname=… user=assistant'."
)
# Roles whose rights a session can use or take are those it is a member of; a superuser is a member of all roles.
_LEAST = """
SELECT NOT (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication)
       AND NOT EXISTS (SELECT FROM pg_roles p
                        WHERE p.oid <> r.oid AND p.rolname NOT IN ('stc_reader', 'stc_participant')
                          AND pg_has_role(r.oid, p.oid, 'MEMBER'))
       AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = 'public.dblp'::regclass AND c.relowner = r.oid)
  FROM pg_roles r WHERE r.rolname = session_user
"""
_STALE = r"""
SELECT r.rolname FROM pg_roles r
 WHERE r.rolname ~ '^stc_mcp_[0-9]+_[0-9a-f]{16}$' AND split_part(r.rolname, '_', 3)::bigint < %s
   AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.usename = r.rolname)
   AND EXISTS (SELECT FROM pg_database d, aclexplode(d.datacl) x WHERE d.datname = current_database() AND x.grantee = r.oid)
"""
_STALE_SECONDS = 60


def is_least(conn: psycopg.Connection) -> bool:
    """Return True if the session's login has only the rights of readers or participants, and cannot take others."""
    return conn.execute(_LEAST).fetchone() == (True,)


@contextlib.contextmanager
def reader_login(settings: Settings, limits: AnswerLimits) -> Iterator[str]:
    """Yield the connection string of a login with the rights of a reader, or of a participant.

    This is the login of the settings if it has no other rights. Otherwise a login is created, and dropped at the end. The next
    call drops logins that killed processes left.

    :raises StateError: the login of the settings has other rights, and may not create roles.
    """
    with connect(settings, autocommit=True) as conn, translate():
        least, db = is_least(conn), conn.info.dbname
        made = None if least else _create(conn, db, limits)
    if made is None:
        yield _limited(conninfo(settings), limits)
        return
    name, password = made
    try:
        where = _limited(make_conninfo(conninfo(settings), user=name, password=password), limits)
        with _held(where):  # while the login has a session, it is in use
            yield where
    finally:
        with contextlib.suppress(psycopg.OperationalError), connect(settings, autocommit=True, check=False) as conn, translate():
            _drop(conn, db, name)


@contextlib.contextmanager
def _held(where: str) -> Iterator[None]:
    try:
        with translate():
            conn = open_session(where, autocommit=True)
    except Exception as error:
        raise StateError(f"the server refuses the login that was created for the assistant: {error}", hint=_HINT) from error
    with conn:
        if not is_least(conn):
            raise StateError("the login that was created for the assistant has more rights than a reader", hint=_HINT)
        yield


def _limited(where: str, limits: AnswerLimits) -> str:
    """Return a connection string whose sessions are read-only and limited in time."""
    milliseconds = max(1, int(limits.seconds * 1000))
    settings = {
        "default_transaction_read_only": "on",
        "statement_timeout": milliseconds,
        "transaction_timeout": 3 * milliseconds,
        "idle_in_transaction_session_timeout": 3 * milliseconds,
        "lock_timeout": milliseconds,
        "TimeZone": "UTC",
    }
    return pinned(where, settings)


def _create(conn: psycopg.Connection, db: str, limits: AnswerLimits) -> tuple[str, str]:
    """Create a login with the role stc_reader. :returns: name and password."""
    for (stale,) in conn.execute(_STALE, [int(time.time()) - _STALE_SECONDS]).fetchall():
        with contextlib.suppress(psycopg.Error):
            _drop(conn, db, stale)
    name, password = f"{PREFIX}{int(time.time())}_{secrets.token_hex(8)}", secrets.token_urlsafe(24)
    verifier = conn.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    role, database = sql.Identifier(name), sql.Identifier(db)
    try:
        with conn.transaction():
            conn.execute(
                sql.SQL(
                    "CREATE ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
                    " CONNECTION LIMIT {} PASSWORD {}"
                ).format(role, limits.at_once + 2, verifier)
            )
            conn.execute(sql.SQL("COMMENT ON ROLE {} IS 'a running stc serve assistants; dropped at its end'").format(role))
            conn.execute(sql.SQL("GRANT stc_reader TO {}").format(role))
            conn.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, role))
            if conn.execute("SELECT rolsuper FROM pg_roles WHERE rolname = session_user").fetchone() == (True,):
                conn.execute(sql.SQL("ALTER ROLE {} SET temp_file_limit = '1GB'").format(role))
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedObject) as error:
        raise StateError(
            f"{conn.info.user} has more rights than a reader, and may not create a login that has not",
            hint=_HINT,
            sqlstate="IR410",
        ) from error
    return name, password


def _drop(conn: psycopg.Connection, db: str, name: str) -> None:
    role = sql.Identifier(name)
    conn.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = %s", [name])
    with conn.transaction():
        conn.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM {}").format(sql.Identifier(db), role))
        conn.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(role))
