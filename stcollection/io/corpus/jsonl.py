"""Read plain JSON lines with id, title and text, under the names that other collections use."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from stcollection.io.corpus import dblp, papers
from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord, identity, make, prose
from stcollection.io.corpus.fields import DEFAULT, IDS, MORE, TEXTS, FieldNames
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.papers import json_layout
from stcollection.io.formats import CorpusFormat

# Fields that look like text: these names, and fields with at least _LONG characters that are longer than the text.
_OTHER_TEXTS = frozenset({"body", "content", "description", "full_text", "fulltext", "passage", "segment", "summary"})
_LONG = 100
_SEVERAL = re.compile(r"\s*;\s*|\s+and\s+")


def parse(record: bytes, line: int, *, fields: FieldNames = DEFAULT) -> DocumentRecord:
    """Return the document of a record with title, text or both; its doc is the record.

    :param fields: names of the fields. A mapped year, venue, author, DOI, address or date is added to doc under dblp's name.
    :raises RefusedRecord: not a JSON object, no id, or neither title nor text.
    """
    value, raw, cleaned = json_object(record, line)
    name = _first(value, fields.docno)
    title, text = (prose(_first(value, getattr(fields, part)), part, name=name) for part in ("title", "text"))
    if more := {part: content for part in MORE if (content := _READ[part](_first(value, getattr(fields, part))))}:
        raw = json.dumps({**value, **more}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if not (title or text):
        unread = ", ".join(_unread(value, "", fields))
        instead = f"; it has {unread}, but the text is read from {', '.join(fields.text)}" if unread else ""
        raise RefusedRecord(f"it has neither title nor text{instead}", docno=identity(name)[0])
    document = make(line=line, name=name, doc=raw, title=title, abstract=text, cleaned=cleaned)
    document.unread = _unread(value, text or "", fields)
    return document


def _unread(value: dict[str, Any], text: str, fields: FieldNames) -> tuple[str, ...]:
    return tuple(
        key
        for key, part in value.items()
        if isinstance(part, str)
        and key not in fields.known
        and part.strip()
        and (key.lower() in _OTHER_TEXTS or (len(part) >= _LONG and len(part) > len(text) and " " in part))
    )


def _first(value: dict[str, Any], keys: tuple[str, ...]) -> Any:
    for key in keys:
        if (content := value.get(key)) not in (None, "", []):
            return content
    return None


def _venue(value: object) -> object:
    return value if isinstance(value, dict) else papers.venue(value)


def _authors(value: object) -> list[object]:
    """Return authors as in dblp; in a text they are separated by semicolons or, as in BibTeX, by `` and ``."""
    names = _SEVERAL.split(value) if isinstance(value, str) else value if isinstance(value, list) else []
    return [author if isinstance(author, dict) else {"name": str(author).strip()} for author in names if str(author).strip()]


_READ: dict[str, Callable[[Any], Any]] = {
    "year": papers.year,
    "venue": _venue,
    "authors": _authors,
    "doi": papers.doi,
    "url": papers.plain,
    "date": papers.date,
}


def _sniff(head: Head) -> bool:
    return head.json is not None and "_source" not in head.keys and dblp.version(head) is None and json_layout(head) is None


FORMAT = CorpusFormat(
    name="jsonl",
    title="JSON lines, or a JSON array of objects",
    extensions=(".jsonl", ".json", ".ndjson"),
    recognised="JSON objects of any other fields",
    fields={
        " or ".join(IDS): "docno, required",
        "title": "title",
        " or ".join(TEXTS): "abstract, a text or a list of texts; title or text is required",
        "all others": "kept in doc",
    },
    example="corpus/jsonl.jsonl",
    layout=lambda head: head.json,
    sniff=_sniff,
    parse=parse,
    renamed=lambda fields: partial(parse, fields=fields),
)
