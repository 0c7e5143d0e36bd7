"""Browse the public tables and views of a collection, page by page, with the rights of the reader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import sql

from stcollection.errors import BadArgument, UnknownObject, translate
from stcollection.texts import later

PAGE = 50  # rows of a page
MOST = 10_000  # rows that are counted, and rows of an export
CLIPPED = 200  # characters of a cell
_LAST_PAGE = 10**7
_LONGEST_LABEL = 40  # characters
_CLAUSE, _FORMULA = re.compile(r"[:;,(]"), re.compile(r"[_/=]|dblp")

# Tables of extensions and partitions are omitted.
_TABLES = """
SELECT c.relname::text, c.relkind IN ('v', 'm'), obj_description(c.oid, 'pg_class'),
       CASE WHEN c.relkind IN ('r', 'p') AND c.reltuples >= 0 THEN c.reltuples::bigint END
  FROM pg_class c
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
   AND has_any_column_privilege(c.oid, 'SELECT')
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
 ORDER BY c.relname
"""
_COLUMNS = """
SELECT a.attname::text, format_type(a.atttypid, NULL), col_description(a.attrelid, a.attnum), y.typcategory = 'N',
       coalesce(a.attnum = ANY (i.indkey), false)
  FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
  LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
 WHERE a.attrelid = to_regclass(format('public.%%I', %(table)s::text)) AND a.attnum > 0 AND NOT a.attisdropped
   AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
 ORDER BY a.attnum
"""
# The tests of a filter, each on the column, which has the type of the value.
_TESTS: dict[str, LiteralString] = {
    "contains": "position(lower({value}::text) IN lower(t.{column}::text)) > 0",
    "is": "t.{column} = {value}",
    "from": "t.{column} >= {value}",
    "to": "t.{column} <= {value}",
    "empty": "t.{column} IS NULL",
}
TESTS = tuple(_TESTS)
_VALUE = sql.Placeholder("value")


class PublicTable(NamedTuple):
    """A table or a view. :param about: its COMMENT. :param rows: estimated, of a table that was analyzed."""

    name: str
    view: bool
    about: str | None
    rows: int | None


class TableColumn(NamedTuple):
    """A column. :param about: its COMMENT. :param number: it has numbers. :param key: it is part of the primary key."""

    name: str
    type: str
    about: str | None
    number: bool
    key: bool

    @property
    def label(self) -> str | None:
        """The beginning of a COMMENT that is a short name, such as 'Flesch-Kincaid grade level'; None without one."""
        start = _CLAUSE.split(self.about or "", maxsplit=1)[0]
        return start if start != self.about and 0 < len(start) <= _LONGEST_LABEL and not _FORMULA.search(start) else None


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """Which rows of a table to show.

    :param column, test, value: a filter, with a test of TESTS; no filter without a column. :param sort: a column, or ''.
    :param page: from 1.
    """

    table: str
    column: str = ""
    test: str = "contains"
    value: str = ""
    sort: str = ""
    descending: bool = False
    page: int = 1


@dataclass(frozen=True, kw_only=True)
class TablePage:
    """A page of rows, as texts. :param rows: at most PAGE. :param total: of all pages; None if there are more than MOST."""

    table: PublicTable
    columns: list[TableColumn]
    rows: list[tuple[str | None, ...]]
    total: int | None
    more: bool
    statement: str


@translate()
def public_tables(conn: psycopg.Connection) -> list[PublicTable]:
    """Return the public tables and views that the role can read, by name."""
    return [PublicTable(*row) for row in conn.execute(_TABLES)]


@translate()
def read_table(conn: psycopg.Connection, request: TableRequest) -> TablePage:
    """Return a page of a table. Long values are cut.

    :raises UnknownObject: the role can read no such table or column. :raises BadArgument: the page or the test is invalid.
    """
    table, columns = _find(conn, request)
    if not 1 <= request.page <= _LAST_PAGE:
        raise BadArgument(later("there is no page {page}", page=request.page), hint=later("The first page is 1."), sqlstate="IR201")
    values = {"value": request.value, "limit": PAGE + 1, "offset": PAGE * (request.page - 1), "clipped": CLIPPED, "most": MOST + 1}
    where, order = _where(request, _VALUE), _order(request, columns)
    name = sql.Identifier("public", request.table)
    shown = sql.SQL(", ").join(sql.SQL("left(t.{}::text, %(clipped)s)").format(sql.Identifier(column.name)) for column in columns)
    query = sql.SQL("SELECT {} FROM {} t{}{} LIMIT %(limit)s OFFSET %(offset)s").format(shown, name, where, order)
    rows = conn.execute(query, values).fetchall()
    counting = sql.SQL("SELECT count(*) FROM (SELECT FROM {} t{} LIMIT %(most)s) n").format(name, where)
    [(total,)] = conn.execute(counting, values).fetchall()
    return TablePage(
        table=table,
        columns=columns,
        rows=rows[:PAGE],
        total=None if total > MOST else total,
        more=len(rows) > PAGE,
        statement=_statement(conn, request, columns),
    )


@translate()
def export_table(conn: psycopg.Connection, request: TableRequest) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names of the columns and the first MOST rows of the request, with whole values as JSON has them.

    :raises StcError: as :func:`read_table`.
    """
    _, columns = _find(conn, request)
    shown = sql.SQL(", ").join(sql.SQL("to_jsonb(t.{})").format(sql.Identifier(column.name)) for column in columns)
    query = sql.SQL("SELECT {} FROM {} t{}{} LIMIT %(most)s").format(
        shown, sql.Identifier("public", request.table), _where(request, _VALUE), _order(request, columns)
    )
    return [column.name for column in columns], conn.execute(query, {"value": request.value, "most": MOST}).fetchall()


def _find(conn: psycopg.Connection, request: TableRequest) -> tuple[PublicTable, list[TableColumn]]:
    """Return a table and its columns, after checking the names of a request."""
    table = next((table for table in public_tables(conn) if table.name == request.table), None)
    if table is None:
        raise UnknownObject(
            later("there is no public table {table!r}", table=request.table[:80]),
            hint=later("Select one of the list."),
            sqlstate="IR104",
        )
    columns = [TableColumn(*row) for row in conn.execute(_COLUMNS, {"table": request.table})]
    unknown = next(
        (name for name in (request.column, request.sort) if name and name not in {column.name for column in columns}), None
    )
    if unknown is not None:
        raise UnknownObject(
            later("{table} has no column {column!r}", table=request.table, column=unknown[:80]),
            hint=later("Select one of the list."),
            sqlstate="IR104",
        )
    if request.test not in _TESTS:
        raise BadArgument(
            later("there is no test {test!r}", test=request.test[:80]), hint=f"Use {', '.join(TESTS)}.", sqlstate="IR202"
        )
    return table, columns


def _where(request: TableRequest, value: sql.Composable) -> sql.Composable:
    if not request.column:
        return sql.SQL("")
    return sql.SQL(" WHERE ") + sql.SQL(_TESTS[request.test]).format(column=sql.Identifier(request.column), value=value)


def _order(request: TableRequest, columns: Sequence[TableColumn]) -> sql.Composable:
    """Return the order of the rows, which the primary key makes total; of a view, its first column orders the rest."""
    keys = [column.name for column in columns if column.key] or [columns[0].name]
    parts = [sql.SQL("t.{}").format(sql.Identifier(name)) for name in keys if name != request.sort]
    if request.sort:
        way = sql.SQL("t.{} DESC NULLS LAST" if request.descending else "t.{}")
        parts.insert(0, way.format(sql.Identifier(request.sort)))
    return sql.SQL(" ORDER BY ") + sql.SQL(", ").join(parts)


def _statement(conn: psycopg.Connection, request: TableRequest, columns: Sequence[TableColumn]) -> str:
    """Return the statement of a page as a reader would type it."""
    query = sql.SQL("SELECT * FROM {} t{}{} LIMIT {} OFFSET {}").format(
        sql.Identifier(request.table),
        _where(request, sql.Literal(request.value)),
        _order(request, columns),
        sql.Literal(PAGE),
        sql.Literal(PAGE * (request.page - 1)),
    )
    return f"{query.as_string(conn)};"
