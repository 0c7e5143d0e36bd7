"""Set the documents that are left out for queries, from a table of pairs or from JSON lines with ``excluded_ids``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.counts import counted
from stcollection.declared import Option
from stcollection.errors import BadInput, translate
from stcollection.io.files import bad_line, clip, is_comment, lines, read_text
from stcollection.io.topics.columns import IDS
from stcollection.io.topics.records import excluded_ids, records

_HINT = (
    "Write a query and the docno of a document on each line, or JSON lines with query_id and excluded_ids. A query alone has none."
    " Nothing was stored."
)


class ExcludedPair(NamedTuple):
    """A document that is left out for a query. :param docno: None: the query has none. :param line: of the file, from 1."""

    query: str
    docno: str | None
    line: int


class ExcludedCounts(NamedTuple):
    """The counts of a file of excluded documents.

    :param queries: queries of the file. :param documents: pairs stored. :param unknown: pairs whose document is not stored.
    :param judged: pairs that an edition judges relevant. :param runs: stored runs that ranked one, and lost it.
    """

    queries: int
    documents: int
    unknown: int
    judged: int
    runs: int


def read_excluded(path: Path) -> list[ExcludedPair]:
    """Read pairs of query and document: two columns separated by tabs, commas or blanks, with or without header, or JSON lines.

    :raises BadInput: an invalid line, or a file without queries.
    """
    text = read_text(path)
    pairs = list(_of_objects(path, text) if text.lstrip()[:1] in ("[", "{") else _of_lines(path))
    if not pairs:
        raise BadInput(f"{path}: contains no query", hint=_HINT)
    return pairs


@translate()
def set_excluded(conn: psycopg.Connection, path: Annotated[Path, Option("FILE")]) -> ExcludedCounts:
    """Set the documents that are left out for the queries of a file, all or none; other queries do not change.

    They are not searched for these queries, stored in runs, pooled or scored (sql/topics/exclude_documents.sql). Stored runs lose
    them. Loading the same file again changes nothing.

    :raises BadInput: an invalid line, or none of the documents is stored. :raises UnknownObject: a query is not stored.
    """
    pairs = read_excluded(path)
    with conn.transaction():
        counts = exclude(conn, ((pair.query, pair.docno, f"{path}:{pair.line}") for pair in pairs))
        if counts.unknown and not counts.documents:
            first = next(pair for pair in pairs if pair.docno is not None)
            what = f"none of the documents is stored; the first is {clip(first.docno)}"
            hint = "Load the corpus first: 'stc load --as corpus'. A line has a query and then a document. Nothing was stored."
            raise bad_line(path, first.line, what, hint=hint)
    return counts


def exclude(conn: psycopg.Connection, pairs: Iterable[tuple[str, str | None, str]]) -> ExcludedCounts:
    """Set the excluded documents of the queries of pairs: query, docno or None, and its place for messages."""
    columns = [[*column] for column in zip(*pairs, strict=True)]
    if not columns:
        return ExcludedCounts(0, 0, 0, 0, 0)
    with conn.transaction(), conn.cursor(row_factory=class_row(ExcludedCounts)) as cursor:
        [counts] = cursor.execute(
            "SELECT queries, documents, unknown, judged, runs FROM stc.exclude_documents(%s::text[], %s::text[], %s::text[])",
            columns,
        )
    return counts


@translate()
def excluded_by_text(conn: psycopg.Connection, text: str) -> tuple[str, int] | None:
    """Return the first stored query with a text that excludes documents, with their number; None without such a query."""
    return conn.execute(
        "SELECT q.query, cardinality(q.excluded) FROM stc.st1_queries q"
        " WHERE q.excluded <> '{}' AND q.text = %s ORDER BY q.query LIMIT 1",
        [text],
    ).fetchone()


@translate()
def queries_in_documents(conn: psycopg.Connection, queries: str) -> dict[str, str]:
    """Return the long queries of a set whose text occurs in a document, with its docno (sql/topics/queries_in_documents.sql)."""
    with conn.transaction():
        return dict(conn.execute("SELECT query, docno FROM stc.queries_in_documents(%s)", [queries]).fetchall())


def _of_lines(path: Path) -> Iterator[ExcludedPair]:
    for line, text in lines(path):
        if is_comment(text) or not text.strip():
            continue
        parts = text.split("\t" if "\t" in text else "," if "," in text else None)
        cells = [cell.strip() for cell in parts]
        if len(cells) > 2 or not cells[0]:
            raise bad_line(path, line, f"{counted(len(cells), 'column')} instead of 2: {clip(text)}", hint=_HINT)
        if line == 1 and cells[0].lower() in (*IDS, "query"):
            continue
        yield ExcludedPair(cells[0], cells[1] or None if len(cells) == 2 else None, line)


def _of_objects(path: Path, text: str) -> Iterator[ExcludedPair]:
    for line, record in records(path, text):
        query = next((str(record[name]).strip() for name in ("query_id", *IDS) if record.get(name) not in (None, "")), "")
        docnos = excluded_ids(record)
        if not query or docnos is None:
            lacks = "excluded_ids, a list of docnos" if query else f"one of {', '.join(IDS[:4])}"
            raise bad_line(path, line, f"the object has no {lacks}: {clip(record)}", hint=_HINT)
        yield from (ExcludedPair(query, docno, line) for docno in docnos or (None,))
