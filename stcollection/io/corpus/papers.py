"""Convert records of bibliographic databases to documents in the layout of dblp.

The doc of such a document is not the record itself but its bibliographic fields under the names that dblp v12 uses: ``id``,
``title``, ``abstract``, ``authors`` (``id``, ``name``, ``org``), ``year``, ``venue.raw``, ``doc_type``, ``n_citation``,
``references``, ``doi``, ``url``, ``volume``, ``issue``, ``page_start``, ``page_end``, ``publisher``, ``lang``, ``fos``. Views and
filters therefore read all layouts alike. Two fields are new: ``date``, the day of publication, and ``license`` as in the record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord, identity, make, prose
from stcollection.io.corpus.head import Head
from stcollection.io.files import clip

_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_YEAR = re.compile(r"\d{4}")
_DOI = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_UNEXPECTED = (AttributeError, IndexError, KeyError, TypeError, ValueError)
# Names of document types in dblp v12, and what other layouts call them, in lower case.
_TYPES = {
    "article": "Journal",
    "book": "Book",
    "book-chapter": "BookChapter",
    "booksection": "BookChapter",
    "conference": "Conference",
    "dataset": "Dataset",
    "dissertation": "Thesis",
    "incollection": "BookChapter",
    "inproceedings": "Conference",
    "journal article": "Journal",
    "journalarticle": "Journal",
    "mastersthesis": "Thesis",
    "phdthesis": "Thesis",
    "posted-content": "Preprint",
    "preprint": "Preprint",
    "proceedings-article": "Conference",
}


class PaperPart(NamedTuple):
    """A part of a document and how it is read.

    :param name: field of the document; None if ``read`` returns several, by name.
    :param field: field of the record, for messages.
    :param read: returns the value for a record; None, or an empty text or list if the record has none.
    """

    name: str | None
    field: str
    read: Callable[[dict[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class PaperLayout:
    """The fields of a layout of JSON records.

    :param docno: returns the id of a record.
    :param title, abstract: return text, or None.
    :param parts: other parts of a document.
    :param split: True if another file of the same collection may have other fields of the same document.
    """

    docno: Callable[[dict[str, Any]], object]
    title: PaperPart
    abstract: PaperPart
    parts: Sequence[PaperPart]
    split: bool = False

    def parse(self, record: bytes, line: int) -> DocumentRecord:
        """Return the document of a record.

        :raises RefusedRecord: not a JSON object, no id, neither title nor abstract, or a field of another structure.
        """
        value, _, cleaned = json_object(record, line)
        facts: dict[str, object] = {}
        part = self.title
        try:
            name = self.docno(value)
            title = part.read(value)
            part = self.abstract
            abstract = part.read(value)
            for part in self.parts:
                key, _, read = part
                content = read(value)
                if key is not None:
                    facts[key] = content
                elif isinstance(content, dict):
                    facts.update(content)
        except RefusedRecord as refused:
            raise RefusedRecord(refused.reason, docno=identity(self.docno(value))[0]) from None
        except _UNEXPECTED:
            excerpt = clip(json.dumps(value.get(part.field), ensure_ascii=False))
            reason = f"its {part.field} has an unexpected structure: {excerpt}"
            raise RefusedRecord(reason, docno=identity(self.docno(value))[0]) from None
        title, abstract = prose(title, self.title.field, name=name), prose(abstract, self.abstract.field, name=name)
        return paper(line=line, name=name, title=title, abstract=abstract, facts=facts, cleaned=cleaned, split=self.split)


def paper(
    *,
    line: int,
    name: object,
    title: str | None,
    abstract: str | None,
    facts: Mapping[str, object],
    cleaned: bool = False,
    split: bool = False,
) -> DocumentRecord:
    """Return a document with its parts as doc; parts without a value are omitted.

    :param split: True if another file of the same collection may have other fields of the document.
    :raises RefusedRecord: no valid id, or neither title nor abstract.
    """
    document = make(line=line, name=name, doc=b"", title=title, abstract=abstract, cleaned=cleaned)
    if document.title is None and document.abstract is None:
        raise RefusedRecord("it has neither title nor abstract", docno=document.docno)
    doc: dict[str, object] = {"id": document.docno if document.number is None else document.number}
    if document.title is not None:
        doc["title"] = document.title
    for key, part in facts.items():
        if part or (part is not None and part != "" and part != []):
            doc[key] = part
    if document.abstract is not None:
        doc["abstract"] = document.abstract
    document.doc = _json(doc)
    document.split = split
    return document


def _json(doc: dict[str, object]) -> bytes:
    try:
        return orjson.dumps(doc)
    except TypeError:  # an integer of more than 64 bits
        return json.dumps(doc, ensure_ascii=False).encode()


def plain(value: object) -> str | None:
    """Return a text without surrounding blanks; None for an empty text and for any other type."""
    return (value.strip() or None) if isinstance(value, str) else None


def whole(value: object) -> int | None:
    """Return an integer, also from its digits; None for any other value."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10 else None


def year(value: object) -> int | None:
    """Return a year from a number, or the first four digits in a text."""
    if isinstance(value, str):
        match = _YEAR.search(value)
        return int(match[0]) if match else None
    number = whole(value)
    return number if number is not None and 0 < number < 10000 else None


def date(value: object) -> str | None:
    """Return a day as YYYY-MM-DD; None if a text does not begin with one."""
    match = _DATE.match(value) if isinstance(value, str) else None
    return match[0] if match else None


def doi(value: object) -> str | None:
    """Return a DOI without the address of its resolver."""
    return _DOI.sub("", value.strip()) or None if isinstance(value, str) else None


def venue(name: object) -> dict[str, str] | None:
    """Return a venue as in dblp."""
    text = plain(name)
    return {"raw": text} if text else None


def doc_type(name: object) -> str | None:
    """Return the type of a publication under the name that dblp v12 has for it, or else as written."""
    text = plain(name)
    return _TYPES.get(text.lower(), text) if text else None


def pages(text: object) -> tuple[str | None, str | None]:
    """Return the first and the last page of ``12-20``; an abbreviated last page (``123-8``) is completed."""
    first, _, last = (plain(text) or "").partition("-")
    first, last = first.strip(), last.strip(" -")
    if last and len(last) < len(first) and first.isdigit() and last.isdigit():
        last = first[: len(first) - len(last)] + last
    return first or None, last or None


def json_layout(head: Head) -> str | None:
    """Return the name of the layout of bibliographic records that a stream of JSON begins with; None for others."""
    keys = head.names
    if "_source" in keys:
        return None
    if "id" in keys and keys & {"abstract_inverted_index", "authorships"}:
        return "openalex"
    if "corpusid" in keys and keys & {"content", "body"}:
        return "s2orc"
    if "paper_id" in keys and keys & {"outbound_citations", "has_outbound_citations"}:
        return "s2orc"
    if "corpusid" in keys and "title" in keys:
        return "semanticscholar"
    if {"corpusid", "abstract"} <= keys:
        return "semanticscholar-abstracts"
    if {"id", "authors_parsed", "categories"} <= keys:
        return "arxiv"
    return None
