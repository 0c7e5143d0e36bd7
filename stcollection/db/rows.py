"""Rows of a query as records, and the row of a query that has exactly one."""

from __future__ import annotations

from typing import Any, TypeVar

import psycopg
from psycopg.abc import Params, QueryNoTemplate
from psycopg.rows import class_row

R = TypeVar("R")


def records(conn: psycopg.Connection, record: type[R], query: QueryNoTemplate, values: Params | None = None) -> list[R]:
    """Return rows as records. :param record: a named tuple or dataclass, whose fields are the columns."""
    with conn.cursor(row_factory=class_row(record)) as cursor:
        return cursor.execute(query, values).fetchall()


def only_record(conn: psycopg.Connection, record: type[R], query: QueryNoTemplate, values: Params | None = None) -> R:
    """Return the row of a query that has exactly one, as a record."""
    [row] = records(conn, record, query, values)
    return row


def only_row(conn: psycopg.Connection, query: QueryNoTemplate, values: Params | None = None) -> tuple[Any, ...]:
    """Return the row of a query that has exactly one, such as the call of a function."""
    [row] = conn.execute(query, values)
    return row


def only_value(conn: psycopg.Connection, query: QueryNoTemplate, values: Params | None = None) -> Any:
    """Return the value of a query that has exactly one row and column."""
    [value] = only_row(conn, query, values)
    return value
