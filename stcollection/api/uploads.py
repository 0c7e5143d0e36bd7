"""Frames of users as runs, with the same checks as run files, or as temporary tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.api.frames import SQL_TYPES, Columns, column, columns_of, texts
from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.runs.load import RunCounts
from stcollection.topics.known import settle_policy

_COPY = "COPY pg_temp.incoming (line, query, docno, rel_score) FROM STDIN"


@translate()
def add_run(
    conn: psycopg.Connection,
    frame: Any,
    name: str,
    *,
    team: str | None = None,
    on_duplicate: str = "error",
    unknown_documents: str = "few",
    unknown_queries: str = "few",
    replace: bool = False,
) -> RunCounts:
    """Store a frame as a run, all rows or none.

    :param frame: columns ``qid``, ``docno`` and ``score`` (or ``query_id`` and ``doc_id``), as in PyTerrier; others are ignored.
        A run of ranx or ``{"q1": {"d1": 2.5}}`` also works. Ranks are computed from the scores by trec_eval's rule.
    :param on_duplicate, unknown_documents, unknown_queries, replace: as for :class:`~stcollection.runs.load.ImportOptions`.
    :raises BadArgument: a column is missing, or a run with this name exists.
    :raises BadInput: a score is not a finite number, or a document occurs twice for a query. Rows are counted from 1.
    """
    columns = _columns_of_run(frame, name)
    queries = texts(column(columns, "qid", "query_id", "q_id"), "qid")
    docnos = texts(column(columns, "docno", "doc_id"), "docno")
    scores = [_score(value, row) for row, value in enumerate(column(columns, "score"), 1)]
    with conn.transaction(), conn.cursor(row_factory=class_row(RunCounts)) as cursor:
        conn.execute("SELECT stc.stage_incoming()")
        with cursor.copy(_COPY) as copy:
            for row in enumerate(zip(queries, docnos, scores, strict=True), 1):
                copy.write_row((row[0], *row[1]))
        cursor.execute(
            "SELECT * FROM stc.import_run(%(name)s, 'frame', team => %(team)s, tag => %(name)s, on_duplicate => %(on_duplicate)s,"
            " unknown_documents => %(documents)s, unknown_queries => %(queries)s, replace => %(replace)s)",
            {
                "name": name,
                "team": team,
                "on_duplicate": on_duplicate,
                "documents": unknown_documents,
                "queries": settle_policy(conn, name, unknown_queries),
                "replace": replace,
            },
        )
        counts = cursor.fetchone() or RunCounts()
    vacuum(conn, "stc.ranked_lists")
    return counts


def _columns_of_run(frame: Any, name: Any) -> Columns:
    """Return the columns of a frame. Reject arguments that are commonly confused with a run."""
    if isinstance(frame, str | Path):
        swapped = not isinstance(name, str | Path)
        hint = "The frame comes first: c.runs.add(frame, name)." if swapped else f"Load a file with c.runs.load({str(frame)!r})."
        raise BadArgument(f"{str(frame)!r} is not a frame", hint=hint)
    columns = columns_of(frame)
    if "score" not in columns and (grade := next((one for one in ("label", "rel", "relevance", "grade") if one in columns), None)):
        hint = "Store judgments with c.qrels.add(frame, edition=…); a run has the columns qid, docno and score."
        raise BadArgument(f"this looks like judgments: it has a column {grade} and no score", hint=hint)
    return columns


def _score(value: Any, row: int) -> float:
    try:
        return float("nan" if value is None else value)
    except (TypeError, ValueError):
        raise BadInput(f"row {row}: the score is {value!r}", hint="A score must be a number; nothing was stored.") from None


# Views read only by users' own statements: on its connection, a frame may hide them.
_PLAIN = frozenset({"documents", "queries", "judgments", "runs", "scores"})


@translate()
def register(conn: psycopg.Connection, name: str, frame: Any) -> int:
    """Copy a frame into a temporary table for use in SQL. It exists until the connection is closed or the name is registered again.

    Integers become bigint, other numbers double precision, texts text (with the collation of docno, "C"), lists and mappings jsonb.

    :returns: number of rows.
    :raises BadArgument: a table of the collection has this name, or a column has values of several types or of an unknown type.
    """
    columns = columns_of(frame)
    if not columns:
        raise BadArgument("the frame has no columns", hint="Add at least one column.")
    taken = conn.execute("SELECT to_regclass(format('public.%%I', %s::text)) IS NOT NULL", [name]).fetchone() == (True,)
    if taken and name not in _PLAIN:
        raise BadArgument(f"{name} is a table of the collection", hint="Choose another name.")
    types = {title: _sql_type(title, values) for title, values in columns.items()}
    table = sql.Identifier("pg_temp", name)
    definitions = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(title), sql.SQL('text COLLATE "C"' if of == "text" else of))
        for title, of in types.items()
    )
    rows = list(zip(*columns.values(), strict=True))
    with conn.transaction():
        conn.execute("SET LOCAL client_min_messages = warning")
        conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(table))
        conn.execute(sql.SQL("CREATE TEMPORARY TABLE {} ({})").format(sql.Identifier(name), definitions))
        with conn.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
            for row in rows:
                copy.write_row([Jsonb(value) if isinstance(value, list | tuple | dict) else value for value in row])
        conn.execute(sql.SQL("ANALYZE {}").format(table))
    return len(rows)


def _sql_type(title: str, values: list[Any]) -> str:
    """Return the SQL type of a column from its values; text if all are missing."""
    kinds = {type(value) for value in values if value is not None}
    found = {next((name for kind, name in SQL_TYPES if issubclass(one, kind)), one.__name__) for one in kinds}
    if found == {"bigint", "double precision"}:
        return "double precision"
    known = {name for _, name in SQL_TYPES}
    if len(found) > 1 or not found <= known:
        raise BadArgument(f"the column {title} contains {' and '.join(sorted(found))}", hint="Use values of one type.")
    return found.pop() if found else "text"
