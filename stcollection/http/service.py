"""Database access of the search service: functions of a connection, called by the desk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from pgvector import Vector

from stcollection.errors import UnknownObject
from stcollection.http.limits import WINDOW, checked_text, refused
from stcollection.http.vectors import CORPORA
from stcollection.retrieval import explain
from stcollection.retrieval.search import FoundDocument, Search, search
from stcollection.retrieval.search import neighbours as nearest
from stcollection.retrieval.systems import check_name


def found(
    conn: psycopg.Connection, asked: Search, *, offset: int, vector: Vector | None, licences: Sequence[str]
) -> list[FoundDocument]:
    """Return the k documents after rank offset.

    :param vector: vector of the query, if the system needs it.
    :param licences: only documents with these licences have a snippet; empty: all.

    :raises BadArgument: offset + k is too large.
    """
    last = asked.k + offset
    if last > WINDOW:
        raise refused(f"k + offset is {last:,}", f"The maximum is {WINDOW:,}; for longer rankings, make a run.")
    return search(
        conn,
        checked_text(asked.text),
        system=asked.system,
        k=last,
        filter=asked.filter,
        model=asked.model,
        vector=vector,
        licences=licences,
    )[offset:]


def why(conn: psycopg.Connection, asked: Search, docno: str, vector: Vector | None, licences: Sequence[str]) -> explain.Explanation:
    """Return why a system retrieves a document. :param licences: only documents with these licences have a passage; empty: all.

    :raises UnknownObject: the document or the system does not exist.
    """
    checked_text(asked.text)
    check_name(conn, asked.system)
    told = explain.why(conn, asked, _key(conn, docno), vector)
    return told._replace(passage=None) if unlicensed(conn, [docno], licences) else told


def document(conn: psycopg.Connection, docno: str, licences: Sequence[str]) -> dict[str, Any]:
    """Return a document. :param licences: only documents with these licences have text; empty: all.

    :raises UnknownObject: the docno does not exist.
    """
    row = conn.execute(
        "SELECT s.docno, s.source FROM stc.document_sources(ARRAY[%s::bigint], %s) s", [_key(conn, docno), list(licences) or None]
    ).fetchone()
    assert row is not None  # noqa: S101
    return {"docno": row[0], "document": row[1]}


def neighbours(conn: psycopg.Connection, docno: str, *, field: str, k: int) -> list[FoundDocument]:
    """Return the k nearest neighbours of a document by the vectors of a field, without the document itself.

    :raises UnknownObject: the document does not exist. :raises StateError: it has no vector of that field.
    """
    if field not in CORPORA:
        raise refused(f"field is {field[:40]!r}", f"Use {' or '.join(CORPORA)}.")
    return nearest(conn, _key(conn, docno), field=field, k=k)


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
