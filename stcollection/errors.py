"""The errors of stcollection, one tree for Python and SQL.

::

    StcError                    exit code 1
    ├── UnknownObject   IR1xx   exit code 2   a name that is not stored
    ├── BadArgument     IR2xx   exit code 2   a value outside its range, a usage that makes no sense
    ├── BadInput        IR3xx   exit code 3   a file or record that cannot be read
    ├── StateError      IR4xx   exit code 4   stale index, missing extension, nothing to work on
    └── DatabaseError   other   exit code 5   PostgreSQL refused, is gone, or its disk is full

SQL functions raise them as SQLSTATEs of class ``IR`` (sql/README.md lists each code); :func:`translate` turns a psycopg error into
the class of its SQLSTATE, never by the text of its message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import psycopg

from stcollection.names import RULE, is_name


class StcError(Exception):
    """What happened, with which value; and in :attr:`hint` what to do next.

    :param message: one sentence without a line break.
    :param hint: the next step, None where there is none to give.
    :param sqlstate: the five characters PostgreSQL gave, None for an error raised in Python.
    """

    exit_code: ClassVar[int] = 1
    family: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.sqlstate = sqlstate


class UnknownObject(StcError):
    """A run, edition, query, document, model … that is not stored."""

    exit_code = 2
    family = "IR1"


class BadArgument(StcError):
    """A value outside its range, or a usage that makes no sense."""

    exit_code = 2
    family = "IR2"


class BadInput(StcError):
    """A file or record that cannot be read as what it claims to be."""

    exit_code = 3
    family = "IR3"


class StateError(StcError):
    """The database is not in the state the call needs."""

    exit_code = 4
    family = "IR4"


class DatabaseError(StcError):
    """PostgreSQL refused a statement, or is not there."""

    exit_code = 5


class ProgramFailed(DatabaseError):
    """A program of PostgreSQL's, as pg_restore, failed; the message is its own."""


FAMILIES: dict[str, type[StcError]] = {kind.family: kind for kind in (UnknownObject, BadArgument, BadInput, StateError)}

# What may be done again as it is: the step that failed left nothing behind, and what was committed before is found.
_AGAIN = "Run the same command again: what was committed is kept."
_RAISED = "or raise it for this command: PGOPTIONS='-c {}=5min' stc …"
# SQLSTATEs of PostgreSQL itself, or their class of two characters, that deserve a next step of their own.
_HINTS = {
    "08": f"The connection to the server broke; 'stc db status' tells whether it is there. {_AGAIN}",
    "0A000": "Was the collection upgraded while this session was open? Then connect again: what it prepared has other columns now.",
    "23503": f"Another command removed what this one names at the same moment. {_AGAIN}",
    "23505": f"Another command stored the same at the same moment. {_AGAIN}",
    "25P03": f"The server ends a transaction that is idle for so long (idle_in_transaction_session_timeout). {_AGAIN}",
    "25P04": f"Ask the server's owner about its transaction_timeout, {_RAISED.format('transaction_timeout')}. {_AGAIN}",
    "25006": "Is the server a standby, or default_transaction_read_only set for the role? Connect to one that may write.",
    "40001": f"Another session changed the same rows at the same moment. {_AGAIN}",
    "40P01": f"Two sessions waited for each other, and this one had to give way. {_AGAIN}",
    "53100": "Free some disk space, then run the same command again: what was committed is kept.",
    "53300": f"The server has no connection left: end some, take fewer --workers, or raise its max_connections. {_AGAIN}",
    "55P03": "Another session held what this needs for longer than lock_timeout. Let it end,"
    f" {_RAISED.format('lock_timeout')}. {_AGAIN}",
    "57014": "Somebody cancelled it, or statement_timeout of the role, database or server ran out;"
    f" {_RAISED.format('statement_timeout').removeprefix('or ')}. {_AGAIN}",
    "57P01": f"The server was stopped, or somebody ended the session; 'stc db status' tells. {_AGAIN}",
    "57P02": f"The server crashed; 'stc db start' starts it. {_AGAIN}",
    "57P03": f"The server is starting, stopping or recovering: wait a moment. {_AGAIN}",
    "57P04": "The collection was dropped meanwhile; 'stc db list' shows those there are.",
    "57P05": f"The server ends a session that is idle for so long (idle_session_timeout). {_AGAIN}",
    "XX000": f"Was the collection upgraded at this very moment? {_AGAIN} Otherwise the server's log tells more.",
    "42501": "Connect as a role that has the right, or ask the owner of the database to grant it.",
    "42P01": "Is this database a collection? 'stc db upgrade' puts it in step with this version.",
    "42883": "Is this database a collection? 'stc db upgrade' puts it in step with this version.",
}
# Of these classes (connection, rollback, resources, state, intervention) our next step goes before PostgreSQL's own hint.
_TROUBLE = ("08", "40", "53", "55", "57")


def hint_of(sqlstate: str) -> str | None:
    """The next step after an error of PostgreSQL's own; None where there is none to give."""
    return _HINTS.get(sqlstate) or _HINTS.get(sqlstate[:2])


def _refused_value(diag: psycopg.errors.Diagnostic) -> BadArgument | None:
    """The error of a CHECK on a name or on a number that must be finite; None for every other CHECK.

    PostgreSQL's own detail shows the row, cut after 64 bytes a column; which of its values is meant follows from the rule alone.
    """
    constraint, table = diag.constraint_name or "", diag.table_name or ""
    for ending, is_right, rule, what in (
        ("_name_check", is_name, RULE, "a name"),
        ("_finite_check", _is_finite, "Store a finite number, or none where there is none.", "a finite number"),
    ):
        if constraint.endswith(ending):
            column = constraint.removesuffix(ending).removeprefix(f"{_partitioned(table)}_")
            row = re.search(r"\((.*)\)\.?$", diag.message_detail or "", re.DOTALL)
            wrong = [value for value in row[1].split(", ") if not is_right(value)] if row else []
            shown = f"{repr(wrong[0])[:60]} is" if len(wrong) == 1 else "a value is"
            return BadArgument(f"{_partitioned(table)}.{column}: {shown} not {what}", hint=rule, sqlstate="23514")
    return None


def _partitioned(table: str) -> str:
    return re.sub("_(open|hidden)$", "", table)


def _is_finite(value: str) -> bool:
    return value not in ("NaN", "Infinity", "-Infinity")


def from_postgres(error: psycopg.Error) -> StcError:
    """The error of this tree that a psycopg error stands for; told by its SQLSTATE."""
    state = error.sqlstate or ""
    if state == "23514" and (refused := _refused_value(error.diag)) is not None:
        return refused
    kind = FAMILIES.get(state[:3], DatabaseError)
    message = " ".join((error.diag.message_primary or str(error)).split())
    own, theirs = hint_of(state), error.diag.message_hint
    hint = own or theirs if state[:2] in _TROUBLE else theirs or own
    if hint is None and isinstance(error, psycopg.OperationalError) and not state and error.pgconn is not None:
        if error.pgconn.needs_password:
            hint = "Give the password by PGPASSWORD, by ~/.pgpass or in STC_DSN."
        elif error.pgconn.used_password:
            hint = "Check the user's name and the password (STC_DSN, PGPASSWORD, ~/.pgpass)."
    if hint is None and isinstance(error, psycopg.OperationalError) and not state:
        hint = f"The server is gone or was never there; 'stc db status' tells. {_AGAIN}"
    return kind(message, hint=hint, sqlstate=state or None)


@contextmanager
def translate() -> Iterator[None]:
    """Raise psycopg's errors inside the block (or the decorated function) as this tree's."""
    try:
        yield
    except psycopg.Error as error:
        raise from_postgres(error) from error
