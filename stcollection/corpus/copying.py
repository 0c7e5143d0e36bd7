"""Pack rows in PostgreSQL's binary COPY format (see "Binary Format" in its documentation of COPY)."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from stcollection.io.records import DocumentRecord

_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = b"\xff\xff"
_OPENING = struct.Struct("!hiq")  # number of fields, length of the first, the first: a bigint
_LENGTH = struct.Struct("!i")
_JSONB = struct.Struct("!iB")  # length, version of jsonb's binary form
_NULL = _LENGTH.pack(-1)


def dblp_rows(documents: Iterable[tuple[int, DocumentRecord]]) -> bytes:
    """Return the data of ``COPY dblp (id, docno, doc)`` for documents with their ids."""
    parts = [_HEADER]
    for number, document in documents:
        docno = document.docno.encode()
        parts += (
            _OPENING.pack(3, 8, number),
            _LENGTH.pack(len(docno)),
            docno,
            _JSONB.pack(len(document.doc) + 1, 1),
            document.doc,
        )
    parts.append(_TRAILER)
    return b"".join(parts)


def dblp_text_rows(documents: Iterable[tuple[int, DocumentRecord]]) -> bytes:
    """Return the data of ``COPY dblp_text (id, title, abstract)`` for documents with their ids."""
    parts = [_HEADER]
    for number, document in documents:
        parts.append(_OPENING.pack(3, 8, number))
        for text in (document.title, document.abstract):
            if text is None:
                parts.append(_NULL)
            else:
                encoded = text.encode()
                parts += (_LENGTH.pack(len(encoded)), encoded)
    parts.append(_TRAILER)
    return b"".join(parts)
