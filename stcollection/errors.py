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

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import psycopg


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
# SQLSTATEs of PostgreSQL itself that deserve a next step of their own.
_HINTS = {
    "53100": "Free some disk space, then run the same command again: what was committed is kept.",
    "57P01": "The server was stopped; 'stc db start' starts it. Run the same command again: what was committed is kept.",
    "57P02": "The server crashed; 'stc db start' starts it. Run the same command again: what was committed is kept.",
    "42501": "Connect as a role that has the right, or ask the owner of the database to grant it.",
    "42P01": "Is this database a collection? 'stc db upgrade' puts it in step with this version.",
    "42883": "Is this database a collection? 'stc db upgrade' puts it in step with this version.",
}
# Classes of which PostgreSQL's own hints ("Check free disk space.") do not say that the work can go on.
_OURS_FIRST = ("53", "57")


def hint_of(sqlstate: str) -> str | None:
    """The next step after an error of PostgreSQL's own; None where there is none to give."""
    return _HINTS.get(sqlstate)


def from_postgres(error: psycopg.Error) -> StcError:
    """The error of this tree that a psycopg error stands for; told by its SQLSTATE."""
    state = error.sqlstate or ""
    kind = FAMILIES.get(state[:3], DatabaseError)
    message = " ".join((error.diag.message_primary or str(error)).split())
    hint = error.diag.message_hint or _HINTS.get(state)
    if state[:2] in _OURS_FIRST:
        hint = _HINTS.get(state) or hint
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
