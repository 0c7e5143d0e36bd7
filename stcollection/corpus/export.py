"""Export documents as JSON lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, LiteralString, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.corpus.licences import known_licences
from stcollection.errors import translate

_LINE: LiteralString = "SELECT stc.document_line(b.docno, b.doc, t.title, t.abstract) FROM "
_ALL: LiteralString = _LINE + "dblp b LEFT JOIN dblp_text t ON t.id = b.id WHERE NOT b.stub ORDER BY b.id"
_SOME: LiteralString = (
    _LINE + "unnest(filter_docs(%s)) u (id) JOIN dblp b ON b.id = u.id LEFT JOIN dblp_text t ON t.id = b.id ORDER BY b.id"
)


class ExportedDocuments(NamedTuple):
    """Counts of an export. :param left_out: documents of the collection that were not written."""

    documents: int
    left_out: int


@translate()
def export_documents(
    conn: psycopg.Connection, out: BinaryIO, *, licences: Sequence[str] = (), condition: Mapping[str, Any] | None = None
) -> ExportedDocuments:
    """Write documents as JSON lines, in the order of their ids. Loading the file gives the same documents.

    A line has the docno, title and abstract, and the other fields of the record. An inverted abstract becomes text.

    :param licences: only documents with these licences; empty writes all. ``none`` selects documents without one.
    :param condition: only documents that match this filter (sql/corpus/filter_condition.sql).
    :raises UnknownObject: no document has the licence. :raises BadArgument: the filter is not valid.
    """
    criteria = dict(condition or {})
    if (named := known_licences(conn, licences)) is not None:
        criteria["licence"] = named
    written = 0
    with conn.transaction(), conn.cursor(name="document_lines") as cursor:
        cursor.itersize = 1000
        if criteria:
            cursor.execute(_SOME, [Jsonb(criteria)])
        else:
            cursor.execute(_ALL)
        for (line,) in cursor:
            out.write(line.encode() + b"\n")
            written += 1
    total = conn.execute("SELECT count(*) FROM dblp WHERE NOT stub").fetchone()
    return ExportedDocuments(written, (total[0] if total else 0) - written)
