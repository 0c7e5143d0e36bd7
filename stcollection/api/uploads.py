"""Frames of the user's own into the collection: as a run, through the checks that runs of files pass; as a temporary table."""

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
    unknown_queries: str = "stub",
    replace: bool = False,
) -> RunCounts:
    """Store a frame as a run, wholly or not at all.

    :param frame: with the columns ``qid``, ``docno`` and ``score`` (or ``query_id`` and ``doc_id``), as of PyTerrier; others are
        ignored. A run of ranx, and ``{"q1": {"d1": 2.5}}``, will do. Ranks are computed from the scores by trec_eval's rule.
    :param on_duplicate, unknown_documents, unknown_queries, replace: as for :class:`~stcollection.runs.load.ImportOptions`.
    :raises BadArgument: a column is missing, or the name is taken.
    :raises BadInput: a score that is no finite number, a document twice for a query; with the row, from 1.
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
                "queries": unknown_queries,
                "replace": replace,
            },
        )
        counts = cursor.fetchone() or RunCounts()
    vacuum(conn, "st1_rankings")
    return counts


def _columns_of_run(frame: Any, name: Any) -> Columns:
    """The columns of a frame, after checks for what people mistake for a run."""
    if isinstance(frame, str | Path):
        swapped = not isinstance(name, str | Path)
        hint = (
            "The frame comes first: c.runs.add(frame, name)." if swapped else f"Files are loaded so: c.runs.load({str(frame)!r})."
        )
        raise BadArgument(f"{str(frame)!r} is not a frame", hint=hint)
    columns = columns_of(frame)
    if "score" not in columns and (grade := next((one for one in ("label", "rel", "relevance", "grade") if one in columns), None)):
        hint = "c.qrels.add(frame, edition=…) stores judgments; a run has qid, docno and score."
        raise BadArgument(f"this looks like judgments: it has a column {grade} and no score", hint=hint)
    return columns


def _score(value: Any, row: int) -> float:
    try:
        return float("nan" if value is None else value)
    except (TypeError, ValueError):
        raise BadInput(
            f"row {row}: the score is {value!r}", hint="A score is a number; nothing was stored.", sqlstate="IR301"
        ) from None


# Views that nothing but statements of users reads: a frame may take their place on its connection.
_PLAIN = frozenset({"documents", "queries", "judgments", "runs", "scores"})


@translate()
def register(conn: psycopg.Connection, name: str, frame: Any) -> int:
    """Put a frame into a temporary table, to join with in SQL: it is gone with the connection. An earlier one of the name goes.

    Whole numbers become bigint, other numbers double precision, texts text (of the collation of docno, "C"), lists and mappings
    jsonb.

    :returns: its rows.
    :raises BadArgument: a table of the collection has that name; a column holds values of several types, or of one not known here.
    """
    columns = columns_of(frame)
    if not columns:
        raise BadArgument("a frame without columns", hint="Give it one.")
    taken = conn.execute("SELECT to_regclass(format('public.%%I', %s::text)) IS NOT NULL", [name]).fetchone() == (True,)
    if taken and name not in _PLAIN:
        raise BadArgument(f"{name} is a table of the collection", hint="Take another name.", sqlstate="IR202")
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
    """The type of a column, by its values; text where it has none."""
    kinds = {type(value) for value in values if value is not None}
    found = {next((name for kind, name in SQL_TYPES if issubclass(one, kind)), one.__name__) for one in kinds}
    if found == {"bigint", "double precision"}:
        return "double precision"
    known = {name for _, name in SQL_TYPES}
    if len(found) > 1 or not found <= known:
        raise BadArgument(
            f"the column {title} holds {' and '.join(sorted(found))}", hint="A column has values of one type.", sqlstate="IR202"
        )
    return found.pop() if found else "text"
