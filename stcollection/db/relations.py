"""The published tables and views, as a reader browses them: their columns, and their rows filtered, sorted and page by page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import psycopg
from psycopg import sql

from stcollection.db.rows import records
from stcollection.errors import BadArgument, UnknownObject
from stcollection.texts import later

MOST_ROWS = 1000  # of a page
MOST_BYTES = 64 * 2**20  # of the whole values of a page
MOST_SKIPPED = 100_000  # rows before a page: the server reads all of them
# Conditions on a column by the names that Datasette gives them. {0} is the column, {1} the value.
CONDITIONS: Mapping[str, tuple[str, str]] = {
    "exact": (later("is"), "{0} = {1}"),
    "not": (later("is not"), "{0} <> {1}"),
    "contains": (later("contains"), "strpos(lower(CAST({0} AS text)), lower({1})) > 0"),
    "startswith": (later("begins with"), "starts_with(CAST({0} AS text), {1})"),
    "gt": (later("is greater than"), "{0} > {1}"),
    "gte": (later("is at least"), "{0} >= {1}"),
    "lt": (later("is less than"), "{0} < {1}"),
    "lte": (later("is at most"), "{0} <= {1}"),
    "isnull": (later("has no value"), "{0} IS NULL"),
    "notnull": (later("has a value"), "{0} IS NOT NULL"),
}
UNARY = ("isnull", "notnull")
_LONGEST_LABEL = 40  # characters
_CLAUSE, _FORMULA = re.compile(r"[:;,(]"), re.compile(r"[_/=]|dblp")
_AS_TEXT = ("contains", "startswith")
_RELATIONS = """
SELECT n.nspname AS schema, c.relname AS name, c.relkind IN ('v', 'm') AS is_view, obj_description(c.oid, 'pg_class') AS comment,
       CASE WHEN c.relkind IN ('r', 'p', 'm') AND c.reltuples >= 0 THEN c.reltuples::bigint END AS about_rows
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
   AND n.nspname IN ('public', current_user) AND has_schema_privilege(n.oid, 'USAGE')
   AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid
                                                        AND d.deptype = 'e')
 ORDER BY n.nspname <> 'public', c.relname"""
_COLUMNS = """
SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, col_description(a.attrelid, a.attnum) AS comment,
       t.typcategory = 'N' AS is_number,
       COALESCE(array_position(p.conkey, a.attnum), 0) AS key_position
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_catalog.pg_constraint p ON p.conrelid = a.attrelid AND p.contype = 'p'
 WHERE a.attrelid = to_regclass(format('%%I.%%I', %(schema)s::text, %(name)s::text)) AND a.attnum > 0 AND NOT a.attisdropped
   AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
 ORDER BY a.attnum"""


@dataclass(frozen=True, kw_only=True)
class PublishedRelation:
    """A table or view that the reader can read.

    :param schema: public, or the reader's own.
    :param about_rows: the planner's estimate; None for a view, and before the first ANALYZE.
    """

    schema: str
    name: str
    is_view: bool
    comment: str | None
    about_rows: int | None


@dataclass(frozen=True, kw_only=True)
class PublishedColumn:
    """A column that the reader can read. :param key_position: in the primary key, from 1; 0 if it is not part of it."""

    name: str
    type: str
    comment: str | None
    is_number: bool
    key_position: int

    @property
    def label(self) -> str | None:
        """The beginning of a comment that is a short name, such as 'Flesch-Kincaid grade level'; None without one."""
        start = _CLAUSE.split(self.comment or "", maxsplit=1)[0]
        return start if start != self.comment and 0 < len(start) <= _LONGEST_LABEL and not _FORMULA.search(start) else None


@dataclass(frozen=True, kw_only=True)
class ColumnCondition:
    """A condition on a column. :param kind: one of CONDITIONS. :param value: as text; '' for isnull and notnull."""

    column: str
    kind: str = "exact"
    value: str = ""


@dataclass(frozen=True, kw_only=True)
class RelationRows:
    """Rows of a relation or a statement.

    :param statement: the SQL that returns them. :param more: there are further rows.
    """

    columns: list[PublishedColumn]
    rows: list[tuple[Any, ...]]
    more: bool
    statement: str


def relations(conn: psycopg.Connection) -> list[PublishedRelation]:
    """Return the tables and views of the schema public and of the reader's own schema that the reader can read, by name."""
    return records(conn, PublishedRelation, _RELATIONS)


def relation_columns(conn: psycopg.Connection, relation: PublishedRelation) -> list[PublishedColumn]:
    """Return the columns of a relation that the reader can read, in their order."""
    return records(conn, PublishedColumn, _COLUMNS, {"schema": relation.schema, "name": relation.name})


def find_relation(conn: psycopg.Connection, name: str) -> PublishedRelation:
    """Return a relation by its name, or by SCHEMA.NAME. :raises UnknownObject: the reader can read none with this name."""
    listed = relations(conn)
    for relation in listed:
        if name in (relation.name, f"{relation.schema}.{relation.name}"):
            return relation
    raise UnknownObject(
        later("there is no table or view {name!r} that you can read", name=name),
        hint=_suggested(name, [relation.name for relation in listed]),
    )


def relation_rows(
    conn: psycopg.Connection,
    name: str,
    *,
    conditions: Sequence[ColumnCondition] = (),
    sort: str | None = None,
    descending: bool = False,
    limit: int = 100,
    skip: int = 0,
    longest: int | None = None,
) -> tuple[PublishedRelation, RelationRows]:
    """Return a relation with some of its rows, with the reader's rights.

    Rows are sorted by a column, or else by the primary key; rows of a view are unsorted unless a column is given.

    :param conditions: rows must meet all of them. :param sort: a column. :param limit: of rows, up to MOST_ROWS.
    :param skip: rows before the first. :param longest: cut values, as text, after this many characters and one; None: whole values.
    :raises UnknownObject: no such relation or column.
    :raises BadArgument: an unknown condition, a number out of range, or whole values of more than MOST_BYTES together.
    :raises DatabaseError: a value does not fit the type of its column.
    """
    if not 1 <= limit <= MOST_ROWS:
        raise BadArgument(
            later("the number of rows is {limit}", limit=limit),
            hint=later("Use a number from 1 to {most:,}.", most=MOST_ROWS),
            sqlstate="IR201",
        )
    if not 0 <= skip <= MOST_SKIPPED:
        raise BadArgument(
            later("the page begins after row {skip:,}", skip=skip),
            hint=later("Filter the rows: pages end after {most:,} rows.", most=MOST_SKIPPED),
            sqlstate="IR201",
        )
    relation = find_relation(conn, name)
    columns = relation_columns(conn, relation)
    types = {column.name: column.type for column in columns}
    where = [_condition(condition, types) for condition in conditions]
    if sort is not None:
        _known(sort, types)
    keys = [column.name for column in sorted(columns, key=lambda column: column.key_position) if column.key_position]
    order = [sql.SQL("{} DESC NULLS LAST" if descending else "{}").format(sql.Identifier(sort))] if sort is not None else []
    order += [sql.SQL("{}").format(sql.Identifier(key)) for key in keys if key != sort]
    # Without its schema as in psql, where an organiser's path finds the relation with hidden rows first.
    source = sql.Identifier(relation.name) if relation.schema == "public" else sql.Identifier(relation.schema, relation.name)
    query = sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(sql.Identifier(column.name) for column in columns), source)
    if where:
        query += sql.SQL(" WHERE ") + sql.SQL(" AND ").join(where)
    if order:
        query += sql.SQL(" ORDER BY ") + sql.SQL(", ").join(order)
    shown = query + sql.SQL(" LIMIT {}").format(limit) + (sql.SQL(" OFFSET {}").format(skip) if skip else sql.SQL(""))
    query += sql.SQL(" LIMIT {} OFFSET {}").format(limit + 1, skip)  # a row more, to know whether there is one
    if longest is not None:
        query = sql.SQL("SELECT {} FROM ({}) AS page").format(
            sql.SQL(", ").join(
                sql.SQL("left(CAST({0} AS text), {1}) AS {0}").format(sql.Identifier(column.name), longest + 1)
                for column in columns
            ),
            query,
        )
    else:
        _check_size(conn, query, columns)
    rows = conn.execute(query).fetchall()
    page = RelationRows(columns=columns, rows=rows[:limit], more=len(rows) > limit, statement=shown.as_string(conn))
    return relation, page


def statement_rows(conn: psycopg.Connection, statement: str, *, limit: int = MOST_ROWS, longest: int = 4000) -> RelationRows:
    """Return the rows of a query that the reader wrote, with the reader's rights, and close the connection.

    The query runs as a subquery in a read-only transaction that is rolled back, so it can be a SELECT, VALUES, TABLE or WITH.
    The connection is closed, because the query may have changed settings of the session or taken locks.

    :param limit: of rows. :param longest: characters of a value; all values are text.
    :raises BadArgument: it is empty, or PostgreSQL refuses it.
    """
    text = statement.strip().rstrip(";").rstrip()
    if not text:
        raise BadArgument(later("the query is empty"), hint=later("Type a SELECT."))
    try:
        with conn.transaction(force_rollback=True):
            conn.execute("SET TRANSACTION READ ONLY")
            described = conn.execute(_as_subquery("*", text), [0]).description or []
            columns = [
                PublishedColumn(
                    name=column.name,
                    type=column.type_display,
                    comment=None,
                    is_number=column.type_code in _NUMBERS,
                    key_position=0,
                )
                for column in described
            ]
            longest = min(longest, _LONGEST_ROW // max(len(columns), 1))
            values = ", ".join(f"left(CAST(c{place} AS text), {int(longest)})" for place in range(len(columns)))
            names = ", ".join(f"c{place}" for place in range(len(columns)))
            rows = conn.execute(_as_subquery(values, text, names), [limit + 1]).fetchall() if columns else []
    except psycopg.Error as error:
        if (error.sqlstate or "")[:2] not in _REFUSALS:
            raise
        raise BadArgument(
            error.diag.message_primary or str(error), hint=error.diag.message_hint, sqlstate=error.sqlstate
        ) from error
    finally:
        conn.close()
    return RelationRows(columns=columns, rows=rows[:limit], more=len(rows) > limit, statement=text)


_LONGEST_ROW = 40_000  # characters of a row of a reader's query
_NUMBERS = (20, 21, 23, 700, 701, 1700)  # type OIDs
_REFUSALS = ("0A", "21", "22", "25", "2D", "42")  # classes of SQLSTATEs that the text or the values of a query cause


def _check_size(conn: psycopg.Connection, query: sql.Composable, columns: Sequence[PublishedColumn]) -> None:
    sizes = sql.SQL(" + ").join(
        sql.SQL("COALESCE(octet_length(CAST({} AS text)), 0)").format(sql.Identifier(column.name)) for column in columns
    )
    [(size,)] = conn.execute(sql.SQL("SELECT COALESCE(sum({}), 0) FROM ({}) AS page").format(sizes, query)).fetchall()
    if size > MOST_BYTES:
        raise BadArgument(
            later("the values of these rows have {size:,.0f} MB", size=size / 2**20),
            hint=later("Use fewer rows: _size=20, or less."),
            sqlstate="IR201",
        )


def _as_subquery(values: str, text: str, names: str = "") -> bytes:
    """Return the reader's own query as a subquery, with a parameter for the limit: a query with parameters is one statement.

    It has the reader's rights, so nothing is gained by closing the parenthesis early.
    """
    alias = f"reader_query({names})" if names else "reader_query"
    return f"SELECT {values} FROM (\n{text.replace('%', '%%')}\n) AS {alias} LIMIT %s".encode()  # noqa: S608


def _condition(condition: ColumnCondition, types: Mapping[str, str]) -> sql.Composable:
    _known(condition.column, types)
    if condition.kind not in CONDITIONS:
        raise BadArgument(
            later("{kind!r} is no condition", kind=condition.kind),
            hint=later("Use one of {conditions}.", conditions=", ".join(CONDITIONS)),
        )
    value: sql.Composable = sql.Literal(condition.value)
    if condition.kind not in _AS_TEXT:
        value = sql.SQL("CAST({} AS {})").format(value, sql.SQL(types[condition.column]))  # format_type() quotes names
    return sql.SQL(CONDITIONS[condition.kind][1]).format(sql.Identifier(condition.column), value)


def _known(column: str, types: Mapping[str, str]) -> None:
    if column not in types:
        raise UnknownObject(later("there is no column {name!r}", name=column), hint=_suggested(column, list(types)))


def _suggested(name: str, names: Sequence[str]) -> Any:
    if close := get_close_matches(name, names, n=1):
        return later("Did you mean {name!r}?", name=close[0])
    return later("There are {names}.", names=", ".join(names)) if names else None
