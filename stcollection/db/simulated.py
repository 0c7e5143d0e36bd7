"""The note shown with simulated judgments and grades, which were made up for trying out a collection.

A function of the library that reads judgments or grades is decorated by :func:`note_simulated`. The record or the rows that it
returns then have the note as ``simulated``, which interfaces show.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast, overload

from stcollection.declared import NotedRows, RecordTable, announce
from stcollection.errors import translate

if TYPE_CHECKING:
    import psycopg

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_running: ContextVar[bool] = ContextVar("running", default=False)


@translate()
def simulated_note(conn: psycopg.Connection, editions: Sequence[str] | None = None, *, annotations: bool = False) -> str | None:
    """Return the note to print with data of the given editions; None if no edition is simulated.

    :param editions: their names; None means every edition visible to the role. Names that are not editions are ignored.
    :param annotations: also name simulated annotators of complexity and credibility.
    """
    names = None if editions is None else list(editions)
    [(note,)] = conn.execute("SELECT stc.simulated_note(%s, %s)", [names, annotations]).fetchall()
    return None if note is None else str(note)


class Noting(Protocol):
    """How type checkers see the decorator: it turns a list into rows with a note."""

    @overload
    def __call__(self, function: Callable[P, RecordTable[T]], /) -> Callable[P, RecordTable[T]]: ...
    @overload
    def __call__(self, function: Callable[P, list[T]], /) -> Callable[P, NotedRows[T]]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...


def note_simulated(*parameters: str, annotations: bool = False) -> Noting:
    """Set ``simulated`` of what a function returns: a record with that field, rows, or a tuple that begins with one of these.

    If one noted function calls another, only the note of the outer one is announced.

    :param parameters: those that name the editions which the function reads: EDITION, or EDITION:ORIGIN. A :class:`RecordTable`
        says itself which editions were read.
    :param annotations: the function reads grades of complexity or credibility.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        if unknown := set(parameters) - set(signature.parameters):
            raise TypeError(f"{function.__qualname__} has no parameter {', '.join(sorted(unknown))}")

        @wraps(function)
        def noting(*args: Any, **kwargs: Any) -> Any:
            token = _running.set(True)
            try:
                result = function(*args, **kwargs)
            finally:
                _running.reset(token)
            given = signature.bind(*args, **kwargs).arguments
            editions = list(result.editions) if isinstance(result, RecordTable) else []
            for parameter in parameters:
                editions += _editions(given.get(parameter))
            if editions or annotations:
                conn = next(iter(given.values()))
                with nullcontext() if conn.autocommit else conn.transaction():  # leave no transaction open
                    note = simulated_note(conn, editions, annotations=annotations)
                result = _with_note(result, note)
                if note is not None and not _running.get():
                    announce(note)
            return result

        noting.__dict__["notes_simulated"] = True
        return noting

    return cast(Noting, decorate)


def _editions(value: Any) -> list[str]:
    """Return the names of editions in an argument; a side of an agreement is EDITION:ORIGIN."""
    names = [value] if isinstance(value, str) else [name for name in value or () if isinstance(name, str)]
    return [edition for name in names for edition in {name, name.partition(":")[0]}]


def _with_note(result: Any, note: str | None) -> Any:
    if isinstance(result, NotedRows):
        result.simulated = note
        return result
    if isinstance(result, list):
        return NotedRows(result, note)
    if dataclasses.is_dataclass(result):
        return dataclasses.replace(cast(Any, result), simulated=note)
    if hasattr(result, "_replace"):
        return result._replace(simulated=note)
    return (_with_note(result[0], note), *result[1:]) if isinstance(result, tuple) else result
