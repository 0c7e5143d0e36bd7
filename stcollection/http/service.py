"""Database access of the search service: functions of a connection, called by the desk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson
import psycopg
from pgvector import Vector
from psycopg.rows import dict_row

from stcollection.errors import StateError, UnknownObject
from stcollection.explore.search.asking import SearchRequest
from stcollection.explore.search.asking import why as explained
from stcollection.http.limits import WINDOW, checked_text, refused
from stcollection.http.vectors import CORPORA
from stcollection.retrieval import SYSTEMS
from stcollection.retrieval.filters import TypedFilter, interval
from stcollection.retrieval.search import search
from stcollection.vectors.queries import accept_vectors


def wanted(typed: TypedFilter) -> dict[str, Any] | None:
    """Return the filter of a request, as ``stc retrieval search`` reads it. :raises BadArgument: it is malformed."""
    found: dict[str, Any] = {}
    if typed.raw is not None:
        try:
            found = orjson.loads(checked_text(typed.raw, "filter"))
        except orjson.JSONDecodeError as error:
            raise refused(f"filter {typed.raw[:80]!r} is not JSON: {error}", 'Example: filter={"year": [2015, null]}.') from error
        if not isinstance(found, dict):
            raise refused(f"filter {typed.raw[:80]!r} is not a JSON object", 'Example: filter={"year": [2015, null]}.')
    for key, text in typed.ranges():
        found[key] = interval(text)
    for one in (*typed.readability, *typed.credibility):
        measure, equals, text = one.partition("=")
        if not equals:
            raise refused(f"{one[:80]!r} has no range", "Examples: readability=textstat_fkgl=..12, credibility=age=..5.")
        found[measure] = interval(text)
    found |= typed.words()
    checked_text(str(found), "filter")
    return found or None


def found(
    conn: psycopg.Connection, asked: SearchRequest, *, offset: int, vector: Vector | None, licences: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the k documents after rank offset.

    :param vector: vector of the query, if the system needs it.
    :param licences: only documents with these licences have a snippet; empty: all.

    :raises BadArgument: offset + k is too large.
    """
    last = asked.k + offset
    if last > WINDOW:
        raise refused(f"k + offset is {last:,}", f"The maximum is {WINDOW:,}; for longer rankings, make a run.")
    text = checked_text(asked.text)
    rows = search(conn, text, system=asked.system, k=last, filter=asked.filter, model=asked.model, vector=vector)
    hits = [asdict(one) for one in rows[offset:]]
    hidden = unlicensed(conn, [hit["docno"] for hit in hits], licences)
    return [hit | {"snippet": None} if hit["docno"] in hidden else hit for hit in hits]


def why(
    conn: psycopg.Connection, asked: SearchRequest, docno: str, vector: Vector | None, licences: Sequence[str]
) -> dict[str, Any]:
    """Return why a system retrieves a document. :param licences: only documents with these licences have a passage; empty: all.

    :raises UnknownObject: the document or the system does not exist.
    """
    checked_text(asked.text)
    if asked.system not in SYSTEMS:
        raise UnknownObject(
            f"there is no system {asked.system[:80]!r}", hint=f"The systems are {', '.join(SYSTEMS)}.", sqlstate="IR107"
        )
    told = explained(conn, asked, _key(conn, docno), vector)
    lists = {name: [one._asdict() for one in rows] for name, rows in told._asdict().items() if isinstance(rows, list)}
    measures = {name: value for name, value in told.measures.items() if name != "id"}
    passage = None if unlicensed(conn, [docno], licences) else told.passage
    return {"docno": docno, "passage": passage, "measures": measures, **lists}


def document(conn: psycopg.Connection, docno: str, licences: Sequence[str]) -> dict[str, Any]:
    """Return a document. :param licences: only documents with these licences have text; empty: all.

    :raises UnknownObject: the docno does not exist.
    """
    row = conn.execute(
        "SELECT s.docno, s.source FROM stc.document_sources(ARRAY[%s::bigint], %s) s", [_key(conn, docno), list(licences) or None]
    ).fetchone()
    assert row is not None  # noqa: S101
    return {"docno": row[0], "document": row[1]}


def neighbours(conn: psycopg.Connection, docno: str, *, field: str, k: int) -> list[dict[str, Any]]:
    """Return the k nearest neighbours of a document by the vectors of a field, without the document itself.

    :raises UnknownObject: the document does not exist. :raises StateError: it has no vector of that field.
    """
    if field not in CORPORA:
        raise refused(f"field is {field[:40]!r}", f"Use {' or '.join(CORPORA)}.")
    key = _key(conn, docno)
    row = conn.execute(
        "SELECT vector_send(CASE %s WHEN 'title' THEN v.title_v ELSE v.abstract_v END) FROM dblp_v v WHERE v.id = %s",
        [field, key],
        binary=True,
    ).fetchone()
    if row is None or row[0] is None:
        raise StateError(
            f"document {docno!r} has no vector for field {field}",
            hint="If the document has the text, run 'stc vectors embed'.",
            sqlstate="IR405",
        )
    with accept_vectors(conn).cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            "SELECT row_number() OVER (ORDER BY s.rank)::integer AS rank, s.score, d.docno, t.title"
            "  FROM dense_search(%s::vector, %s, %s) s JOIN dblp d ON d.id = s.doc LEFT JOIN dblp_text t ON t.id = s.doc"
            " WHERE s.doc <> %s ORDER BY s.rank LIMIT %s",
            [Vector.from_binary(row[0]), k + 1, field, key, k],
        ).fetchall()


def unlicensed(conn: psycopg.Connection, docnos: Sequence[str], licences: Sequence[str]) -> set[str]:
    """Return the documents that have none of the licences; without licences none."""
    if not licences:
        return set()
    rows = conn.execute(
        "SELECT u.docno FROM unnest(%s::text[]) u (docno) WHERE NOT stc.has_licence(u.docno, %s)", [list(docnos), list(licences)]
    )
    return {docno for (docno,) in rows}


def _key(conn: psycopg.Connection, docno: str) -> int:
    row = conn.execute("SELECT d.id FROM dblp d WHERE d.docno = %s AND NOT d.stub", [checked_text(docno, "docno")]).fetchone()
    if row is None:
        raise UnknownObject(f"there is no document {docno[:80]!r}", hint="Use a name from the column docno.", sqlstate="IR104")
    return int(row[0])
