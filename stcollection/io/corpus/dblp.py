"""dblp (AMiner citation network) v10 to v14: one JSON object a record.

They differ in how ids are written (numbers in v12, strings elsewhere), in ``_id`` for ``id`` (v13), and in the abstract: plain
``abstract`` (v10, v13, v14) or inverted ``indexed_abstract`` (v11, v12). One reader takes them all.
"""

from __future__ import annotations

from typing import Any

from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.documents import Document, Refused, identity, make, rebuilt


def parse(record: bytes, line: int) -> Document:
    """The document of one record; its doc is the record as it came.

    :raises Refused: no JSON object, no id, or no title.
    """
    value, raw, cleaned = json_object(record, line)
    return document(value, raw, line=line, name=value.get("id", value.get("_id")), cleaned=cleaned)


def document(value: dict[str, Any], raw: bytes, *, line: int, name: object, cleaned: bool) -> Document:
    """:param value: the record, :param raw: the same as JSON, :param name: its id."""
    title = value.get("title")
    if not isinstance(title, str) or not title.strip():
        raise Refused("it has no title", docno=identity(name)[0])
    try:
        abstract = value.get("abstract") or rebuilt(value.get("indexed_abstract"))
        if abstract is not None and not isinstance(abstract, str):
            raise Refused("its abstract is not text")
    except Refused as refused:
        raise Refused(refused.reason, docno=identity(name)[0]) from None
    return make(line=line, name=name, doc=raw, title=title, abstract=abstract, cleaned=cleaned)
