"""Open sessions with PostgreSQL. No other module connects to a server.

Each session has the settings on which our SQL and the text of its results depend. They are startup options: those of the role, the
database, the server and the user's environment do not count, and ``RESET`` returns to ours. Tables and functions of a login cannot
replace those of the collection.
"""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo, ConnStatus, PGconn, Ping, PollingStatus, Trace, abc

from stcollection.errors import BadArgument

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

# PostgreSQL searches pg_catalog first. Schemas that do not exist, or that the role may not use, are skipped: stc_all has the tables
# with hidden rows, for organisers.
PATH = "stc_all, public, pg_temp"
# For all sessions. Settings of an administrator that limit a role (timeouts, default_transaction_read_only) are kept.
SETTINGS: Mapping[str, str] = {
    "search_path": PATH,
    "row_security": "on",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "standard_conforming_strings": "on",
    "array_nulls": "on",
    "transform_null_equals": "off",
    "quote_all_identifiers": "off",
    "xmloption": "content",
    "lc_numeric": "C",
    "gin_fuzzy_search_limit": "0",  # others let boolean search return a random part of the documents
    "default_transaction_isolation": "read committed",
}
# Environment variables that libpq sends as settings; they take precedence over options.
_SENT = {"PGDATESTYLE": "DateStyle", "PGTZ": "TimeZone"}
_LOCK_TIMEOUT = "60s"
_ANSWER_SECONDS = 10.0  # maximum wait for a server that refused a connection to say why
_REFUSED = re.compile(rb'^B\t\d+\tErrorResponse\t S "[^"\n]*" V "[A-Z]+" C "([0-9A-Z]{5})"', re.MULTILINE)
# For systems and versions of libpq without a trace of the protocol, and servers that speak English.
_FULL = re.compile(r"too many (clients|connections)|connection slots are reserved")


def options_of(where: str) -> str:
    """Return the startup options that the user gave: in a connection string, in its service, or in ``PGOPTIONS``."""
    parameters = conninfo_to_dict(where)
    if parameters.get("options"):
        return str(parameters["options"])
    if parameters.get("service") or os.environ.get("PGSERVICE"):
        begun = PGconn.connect_start(where.encode())  # only libpq reads service files
        try:
            options = {option.keyword: option.val for option in begun.info}
        finally:
            begun.finish()
    else:
        options = {option.keyword: option.val for option in Conninfo.get_defaults()}
    return (options.get(b"options") or b"").decode()


def with_options(options: str, settings: Mapping[str, object]) -> str:
    """Return startup options with further settings, which take precedence over those given."""
    ours = " ".join(f"-c {name}={_escaped(str(value))}" for name, value in settings.items())
    return options if options.endswith(ours) else f"{options} {ours}".strip()


def _escaped(value: str) -> str:
    return re.sub(r"([\\\s])", r"\\\1", value)


def pinned(where: str, limits: Mapping[str, object] | None = None) -> str:
    """Return a connection string whose sessions have our settings.

    :param limits: further settings of these sessions.
    """
    return make_conninfo(where, options=with_options(options_of(where), {**SETTINGS, **(limits or {})}), client_encoding="UTF8")


def open_session(
    where: str, *, autocommit: bool = False, limits: Mapping[str, object] | None = None, **parameters: Any
) -> psycopg.Connection:
    """Connect. A ``lock_timeout`` is set unless the server, database, role or user sets one.

    :param where: libpq connection string. :param limits: further settings of this session, such as a statement_timeout.
    :param parameters: of libpq, such as ``dbname``; they replace those of the connection string.
    :raises psycopg.OperationalError: the server cannot be reached or refuses the connection; then ``sqlstate`` is its reason, if
        that can be learned.
    """
    where = pinned(make_conninfo(where, **parameters), limits)
    try:
        conn = psycopg.connect(where, autocommit=autocommit)
    except psycopg.errors.ConnectionTimeout:
        raise
    except psycopg.OperationalError as error:
        if error.sqlstate is None:
            error.sqlstate = refusal(where) or ("53300" if _FULL.search(str(error)) else None)
        raise
    try:
        _settle(conn, limits or {})
        return _limit_lock_waits(conn)
    except BaseException:
        conn.close()
        raise


def session_pool(
    where: str, *, limits: Mapping[str, object], check: Callable[[psycopg.Connection], None], **more: Any
) -> ConnectionPool[psycopg.Connection]:
    """Return a connection pool, not opened, of sessions in autocommit mode. :param limits: as for :func:`open_session`."""
    from psycopg_pool import ConnectionPool

    # No prepared statements: they would fail after an upgrade that changes result columns, until the connection is closed.
    return ConnectionPool(
        pinned(where, limits),
        configure=lambda conn: _settle(conn, limits),
        check=check,
        open=False,
        kwargs={"autocommit": True, "prepare_threshold": None},
        **more,
    )


def _settle(conn: psycopg.Connection, limits: Mapping[str, object]) -> None:
    """Set what libpq sends from environment variables after our options."""
    settings: dict[str, object] = {**SETTINGS, **limits}
    for variable, name in _SENT.items():
        if os.environ.get(variable) and name in settings:
            conn.execute("SELECT set_config(%s, %s, false)", [name, str(settings[name])])
    if not conn.autocommit:
        conn.commit()


def _limit_lock_waits(conn: psycopg.Connection) -> psycopg.Connection:
    """Set lock_timeout unless it is set. ``STC_LOCK_TIMEOUT`` sets the limit, by default 60 s; 0 means no limit."""
    limit = os.environ.get("STC_LOCK_TIMEOUT") or _LOCK_TIMEOUT
    try:
        conn.execute("SELECT set_config('lock_timeout', %s, false) WHERE current_setting('lock_timeout') = '0'", [limit])
    except psycopg.errors.InvalidParameterValue as error:
        raise BadArgument(f"STC_LOCK_TIMEOUT is {limit!r}", hint="Set a duration such as 60s or 5min; 0 means no limit.") from error
    if not conn.autocommit:
        conn.commit()
    return conn


def login_of(conn: psycopg.Connection) -> str:
    """Return the connection string of a session, with its password."""
    return make_conninfo(conn.info.dsn, password=conn.info.password or None)


def another_session(conn: psycopg.Connection) -> psycopg.Connection:
    """Open another session of the same login, in autocommit mode.

    :raises psycopg.Error: the server cannot be reached or refuses the connection.
    """
    return open_session(login_of(conn), autocommit=True)


def answers(where: str) -> Ping:
    """Return whether a server accepts connections, without signing in."""
    return Ping(PGconn.ping(where.encode()))


def refusal(where: str) -> str | None:
    """Try to connect. Return the SQLSTATE with which the server refuses, None if it accepts or cannot be reached.

    libpq gives only the message of the error, in the language of the server.
    """
    conn, state = attempt(where)
    conn.finish()
    return state


def attempt(where: str) -> tuple[abc.PGconn, str | None]:
    """Connect without psycopg. :returns: the connection, to be finished by the caller, and the SQLSTATE of a refusal if known."""
    conn = PGconn.connect_start(where.encode())
    if sys.platform != "linux" or conn.status == ConnStatus.BAD:
        while _wait(conn):
            pass
        return conn, _guessed(conn)
    trace = os.memfd_create("stc")
    try:
        conn.trace(trace)
        conn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)
        while _wait(conn):
            pass
        conn.untrace()  # writes what is buffered
        refused = _REFUSED.findall(os.pread(trace, os.fstat(trace).st_size, 0))
    finally:
        os.close(trace)
    if conn.status == ConnStatus.OK:
        return conn, None
    return conn, refused[-1].decode() if refused else _guessed(conn)


def _guessed(conn: abc.PGconn) -> str | None:
    return "53300" if conn.status != ConnStatus.OK and _FULL.search(conn.error_message.decode(errors="replace")) else None


def _wait(conn: abc.PGconn) -> bool:
    """Take a step of connecting. Return False at the end, or if the server does not answer."""
    if conn.status == ConnStatus.BAD:
        return False
    step = conn.connect_poll()
    if step not in (PollingStatus.READING, PollingStatus.WRITING):
        return False
    waiting = select.poll()
    waiting.register(conn.socket, select.POLLIN if step == PollingStatus.READING else select.POLLOUT)
    return bool(waiting.poll(_ANSWER_SECONDS * 1000))
