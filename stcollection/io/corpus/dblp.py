"""Read dblp (AMiner citation network) v10 to v14, one JSON object per record.

The versions differ in ids (numbers in v12, strings in others), in ``_id`` instead of ``id`` (v13), and in the abstract: plain
``abstract`` (v10, v13, v14) or inverted ``indexed_abstract`` (v11, v12). One reader handles all.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord, identity, make, prose, rebuild_text
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.papers import json_layout
from stcollection.io.formats import CorpusFormat

_KEYS = frozenset({"authors", "references", "n_citation", "indexed_abstract", "venue", "fos", "year"})
_GENERIC = frozenset({"text", "contents", "docno", "doc_id"})
_HEX24 = re.compile(r"[0-9a-f]{24}")


def parse(record: bytes, line: int) -> DocumentRecord:
    """Return the document of a record; its doc is the unchanged record.

    :raises RefusedRecord: not a JSON object, no id, or no title.
    """
    value, raw, cleaned = json_object(record, line)
    return document(value, raw, line=line, name=value.get("id", value.get("_id")), cleaned=cleaned)


def document(value: dict[str, Any], raw: bytes, *, line: int, name: object, cleaned: bool) -> DocumentRecord:
    """Return the document of a parsed record.

    :param value: the record. :param raw: the record as JSON. :param name: its id.
    """
    title = prose(value.get("title"), "title", name=name)
    if not title or not title.strip():
        raise RefusedRecord("it has no title", docno=identity(name)[0])
    try:
        abstract = prose(value.get("abstract") or None, "abstract", name=name) or rebuild_text(value.get("indexed_abstract"))
    except RefusedRecord as refused:
        raise RefusedRecord(refused.reason, docno=identity(name)[0]) from None
    return make(line=line, name=name, doc=raw, title=title, abstract=abstract, cleaned=cleaned)


def version(head: Head) -> str | None:
    """Return the dblp version of the first records; None if they are not dblp."""
    keys, sample = head.keys, head.sample
    if "_source" in keys or keys & _GENERIC or not keys & _KEYS or json_layout(head) is not None:
        return None
    if "title" not in keys or keys.isdisjoint(("id", "_id")):
        return None
    if "_id" in keys:
        return "v13"
    ids = [value["id"] for value in sample if "id" in value]
    if any(isinstance(key, int) for key in ids):
        return "v12"
    if ids and all(isinstance(key, str) and _HEX24.fullmatch(key) for key in ids):
        return "v14"
    if any(isinstance(author, str) for value in sample for author in value.get("authors") or ()):
        return "v10"
    return "v11"


def _is(name: str, head: Head) -> bool:
    return version(head) == name


_FIELDS = {"title": "title, required", "authors, venue, year, references, n_citation, …": "kept in doc"}


def _format(name: str, *, recognised: str, id: str, abstract: str, extension: str) -> CorpusFormat:  # noqa: A002
    return CorpusFormat(
        name=f"dblp-{name}",
        title=f"dblp (AMiner citation network) {name}",
        extensions=(extension,),
        recognised=f"dblp in JSON; {recognised}",
        fields={id: "docno, required", **_FIELDS, abstract: "abstract"},
        example=f"corpus/dblp-{name}{extension}",
        layout=lambda head: head.json,
        sniff=partial(_is, name),
        parse=parse,
    )


FORMATS = (
    _format("v10", recognised="authors are texts", id="id", abstract="abstract", extension=".json"),
    _format("v11", recognised="ids are texts", id="id", abstract="indexed_abstract", extension=".txt"),
    _format("v12", recognised="ids are numbers", id="id", abstract="indexed_abstract", extension=".json"),
    _format("v13", recognised="ids are in _id", id="_id", abstract="abstract", extension=".json"),
    _format("v14", recognised="ids are of 24 hexadecimal digits", id="id", abstract="abstract", extension=".json"),
)
