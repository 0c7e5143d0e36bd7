"""The errors of stcollection: one class tree for Python and SQL.

::

    StcError                    exit code 1
    ├── UnknownObject   IR1xx   exit code 2   a name that is not stored
    ├── BadArgument     IR2xx   exit code 2   a value out of range, or an invalid combination
    ├── BadInput        IR3xx   exit code 3   a file or record that cannot be read
    ├── StateError      IR4xx   exit code 4   stale index, missing extension, missing data
    └── DatabaseError   other   exit code 5   PostgreSQL rejected a statement, is down, or its disk is full

SQL functions raise them as SQLSTATEs of class ``IR`` (sql/README.md lists the codes). :func:`translate` converts a psycopg error
by its SQLSTATE, never by the text of its message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

from stcollection import plugins
from stcollection.names import RULE, is_name

if TYPE_CHECKING:
    import psycopg


class StcError(Exception):
    """An error: the message names the cause and the value, :attr:`hint` the next step.

    :param message: one sentence without a line break.
    :param hint: the next step; None if there is nothing to suggest.
    :param sqlstate: PostgreSQL's code of five characters; None: that of the class, if it has one.
    :param parameter: the parameter with the wrong value, with which the message starts; each face spells it in its own way.
    """

    exit_code: ClassVar[int] = 1
    family: ClassVar[str] = ""
    code: ClassVar[str | None] = None

    def __init__(self, message: str, *, hint: str | None = None, sqlstate: str | None = None, parameter: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.sqlstate = sqlstate or self.code
        self.parameter = parameter


class UnknownObject(StcError):
    """A run, edition, query, document, model … is not stored."""

    exit_code = 2
    family = "IR1"


class BadArgument(StcError):
    """A value is out of range, or a combination of values is invalid."""

    exit_code = 2
    family = "IR2"
    code = "IR202"


class BadInput(StcError):
    """A file or record cannot be read in its format."""

    exit_code = 3
    family = "IR3"
    code = "IR301"


class StateError(StcError):
    """The database is not in the state that the call needs."""

    exit_code = 4
    family = "IR4"


class DatabaseError(StcError):
    """PostgreSQL rejected a statement or cannot be reached."""

    exit_code = 5


class ProgramFailed(DatabaseError):
    """A program of PostgreSQL, such as pg_restore, failed. The message is the program's."""


FAMILIES: dict[str, type[StcError]] = {kind.family: kind for kind in (UnknownObject, BadArgument, BadInput, StateError)}

# For errors after which the command can be repeated: the failed step left nothing behind, and earlier commits are found.
_AGAIN = "Run the same command again: committed work is kept."
_RAISED = "or raise it for this command: PGOPTIONS='-c {}=5min' stc …"
# Next steps for SQLSTATEs of PostgreSQL, or for their class of two characters.
_HINTS = {
    "08": f"The connection to the server broke; 'stc db status' shows whether the server runs. {_AGAIN}",
    "0A000": (
        "Was the collection upgraded while this session was open? Then connect again: the columns of prepared statements "
        "have changed."
    ),
    "23503": f"Another command removed a row that this one refers to. {_AGAIN}",
    "23505": f"Another command stored the same row at the same time. {_AGAIN}",
    "25P03": f"The server ends transactions that are idle for this long (idle_in_transaction_session_timeout). {_AGAIN}",
    "25P04": f"Ask the server's administrator about its transaction_timeout, {_RAISED.format('transaction_timeout')}. {_AGAIN}",
    "25006": "Is the server a standby, or default_transaction_read_only set for the role? Connect to a server that allows writes.",
    "28": "Check the user's name and the password (STC_DSN, PGPASSWORD, ~/.pgpass).",
    "40001": f"Another session changed the same rows at the same time. {_AGAIN}",
    "40P01": f"Two sessions waited for each other; the server cancelled this one. {_AGAIN}",
    "53100": "Free some disk space, then run the same command again: committed work is kept.",
    "53200": (
        "The server had no memory left for this session. Close other programs, or let it use less: "
        f"PGOPTIONS='-c work_mem=4MB' stc …. {_AGAIN}"
    ),
    "53300": f"The server has no free connections: close some, use fewer --workers, or raise its max_connections. {_AGAIN}",
    "55P03": (
        f"Another session held a lock for longer than lock_timeout. Wait until it ends, {_RAISED.format('lock_timeout')}. {_AGAIN}"
    ),
    "57014": (
        "The statement was cancelled, or it exceeded the statement_timeout of the role, database or server; "
        f"{_RAISED.format('statement_timeout').removeprefix('or ')}. {_AGAIN}"
    ),
    "57P01": f"The server was stopped, or an administrator ended the session; 'stc db status' shows which. {_AGAIN}",
    "57P02": f"The server crashed; 'stc db start' starts it. {_AGAIN}",
    "57P03": f"The server is starting, stopping or recovering: wait a moment. {_AGAIN}",
    "57P04": "The collection was dropped during the command; 'stc show collections' lists the existing ones.",
    "57P05": f"The server ends sessions that are idle for this long (idle_session_timeout). {_AGAIN}",
    "XX000": f"Was the collection upgraded during the command? {_AGAIN} Otherwise see the server's log.",
    "42501": "Connect with a role that has the right, or ask the owner of the database to grant it.",
    "42P01": "Check the name of the table. If it is one of stcollection's, 'stc db upgrade' installs those of this version.",
    "42883": "Check the name and the types of the function. If it is one of stcollection's, 'stc db upgrade' installs it.",
}
# For these classes (connection, rollback, resources, state, intervention) our hint takes precedence over PostgreSQL's.
_TROUBLE = ("08", "40", "53", "55", "57")


def hint_of(sqlstate: str) -> str | None:
    """Return the next step after an error of PostgreSQL; None if there is nothing to suggest."""
    return _HINTS.get(sqlstate) or _HINTS.get(sqlstate[:2])


def _refused_value(diag: psycopg.errors.Diagnostic) -> BadArgument | None:
    """Return the error of a CHECK on a name, a finite number or a JSON object; None for other constraints.

    PostgreSQL's detail contains the row, with each column cut after 64 bytes. The violated rule identifies the value.
    """
    constraint, table = diag.constraint_name or "", diag.table_name or ""
    if constraint.endswith("_object_check"):
        column = constraint.removesuffix("_object_check").removeprefix(f"{table}_")
        return BadArgument(
            f"{table}.{column}: the value is not a JSON object of at most 32 levels whose numbers fit double precision",
            hint='Store an object such as {"system": "bm25"}; write a larger number, or deeper values, as text.',
            sqlstate="23514",
        )
    for ending, is_right, rule, what in (
        ("_name_check", is_name, RULE, "a name"),
        ("_finite_check", _is_finite, "Store a finite number or NULL.", "a finite number"),
    ):
        if constraint.endswith(ending):
            table = "st1_rankings" if table == "ranked_lists" else _partitioned(table)  # the view of its rows
            column = constraint.removesuffix(ending).removeprefix(f"{table}_")
            row = re.search(r"\((.*)\)\.?$", diag.message_detail or "", re.DOTALL)
            wrong = [value for value in row[1].split(", ") if not is_right(value)] if row else []
            subject = f"{repr(wrong[0])[:60]} is" if len(wrong) == 1 else "a value is"
            return BadArgument(f"{table}.{column}: {subject} not {what}", hint=rule, sqlstate="23514")
    return None


def _partitioned(table: str) -> str:
    return re.sub("_(open|hidden)$", "", table)


def _is_finite(value: str) -> bool:
    return value not in ("NaN", "Infinity", "-Infinity")


# Tables and views of the schema stc_all, which PostgreSQL does not find for roles that may not use it (sql/db/stc_rights.sql).
CLOSED = frozenset(
    [
        "annotation_overview",
        "annotation_sheets",
        "annotations",
        "annotators",
        "ask_rankings",
        "build_recipes",
        "build_steps",
        "llm_answers",
        "llm_judges",
        "llm_prompts",
        "pool_overview",
        "qrels_assessments",
        "qrels_comparisons",
        "qrels_decisions",
        "qrels_pool_documents",
        "qrels_pool_undrawn",
        "qrels_pools",
        "qrels_reviews",
        "run_receipts",
        "stc_settings",
        "study_rows",
    ]
)
_NAMED = re.compile(r'"(?:stc_all\.)?(\w+)"')


def is_closed(relation: str) -> bool:
    """Return True for a table or view that only organisers find."""
    open_ = {table.name for table in plugins.tables() if table.schema != "stc_all"}
    of_studies = {table.name for table in plugins.tables()} - open_
    return relation in CLOSED | of_studies or any(relation in study.closed_views for study in plugins.studies())


def from_postgres(error: psycopg.Error) -> StcError:
    """Convert a psycopg error to an error of this tree by its SQLSTATE."""
    from psycopg import OperationalError  # not at module level: help and completion need no database driver

    state = error.sqlstate or ""
    if state == "23514" and (refused := _refused_value(error.diag)) is not None:
        return refused
    message = " ".join((error.diag.message_primary or str(error)).split())
    if state == "42P01" and (named := _NAMED.search(message)) is not None and is_closed(named[1]):
        return DatabaseError(f"permission denied for table {named[1]}", hint=hint_of("42501"), sqlstate="42501")
    kind = FAMILIES.get(state[:3], DatabaseError)
    own, theirs = hint_of(state), error.diag.message_hint
    of_ours = state == "42883" and message.startswith("function stc.")  # of a study that the collection does not have
    hint = own or theirs if state[:2] in _TROUBLE or of_ours else theirs or own
    if hint is None and isinstance(error, OperationalError) and not state and error.pgconn is not None:
        if error.pgconn.needs_password:
            hint = "Set the password with PGPASSWORD, in ~/.pgpass or in STC_DSN."
        elif error.pgconn.used_password:
            hint = "Check the user's name and the password (STC_DSN, PGPASSWORD, ~/.pgpass)."
    if hint is None and isinstance(error, OperationalError) and not state:
        hint = f"The server cannot be reached; 'stc db status' shows whether it runs. {_AGAIN}"
    return kind(message, hint=hint, sqlstate=state or None)


@contextmanager
def translate() -> Iterator[None]:
    """Convert psycopg errors that are raised in the block (or the decorated function)."""
    try:
        yield
    except StcError:
        raise
    except Exception as error:
        from psycopg import Error

        if isinstance(error, Error):
            raise from_postgres(error) from error
        raise
