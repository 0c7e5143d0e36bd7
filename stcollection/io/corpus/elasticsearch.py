"""Read the track's ElasticSearch dump: JSON lines ``{"_id": …, "_source": {a dblp record}}``."""

from __future__ import annotations

import json

from stcollection.io.corpus import dblp
from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord
from stcollection.io.formats import CorpusFormat


def parse(record: bytes, line: int) -> DocumentRecord:
    """Return the document of a line; its doc is the ``_source``, with the line's ``_id`` if the source has no id.

    :raises RefusedRecord: not a JSON object, no ``_source``, no id, or no title.
    """
    value, _, cleaned = json_object(record, line)
    source = value.get("_source")
    if not isinstance(source, dict):
        raise RefusedRecord("it has no _source", docno=str(value["_id"]) if value.get("_id") else None)
    if source.get("id") in (None, ""):
        source = {"id": value.get("_id"), **{key: part for key, part in source.items() if key != "id"}}
    raw = json.dumps(source, ensure_ascii=False).encode()
    return dblp.document(source, raw, line=line, name=source["id"], cleaned=cleaned)


FORMAT = CorpusFormat(
    name="elasticsearch",
    title="the ElasticSearch dump of SimpleText",
    extensions=(".json", ".jsonl"),
    recognised="JSON objects with _source",
    fields={"_id": "docno, if _source has no id", "_source": "a record of dblp: id, title, abstract; it becomes doc"},
    example="corpus/elasticsearch.jsonl",
    layout=lambda head: head.json,
    sniff=lambda head: "_source" in head.keys,
    parse=parse,
)
