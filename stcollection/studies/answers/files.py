"""Read the files of answer verification: yield each line's number with its records or its faults.

=============  ======================================  =====================================================================
kind           file                                    a line
=============  ======================================  =====================================================================
``documents``  ``dev_query_doc.json``                  ``{"query": …, "docs": [{"title", "url", "doc_text", "doc_id"}, …]}``
``pairs``      ``dev_answer_nli_data.tsv``             query, url1, answer1, url2, answer2, label: 1 support, 0 not
``relations``  ``dev_relations.tsv``                   the same, with support, neutral or oppose instead of the label
``gold``       ``dev_label.tsv``                       query, doc_ids joined by commas
``templates``  ``dev_templates.tsv``                   query, template
=============  ======================================  =====================================================================

Files are UTF-8; :mod:`stcollection.io.files` opens them, plain or compressed. The separator is a real tab. White space around a
field, query, address or doc_id is ignored. Titles and texts are stored unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from stcollection.counts import counted
from stcollection.io.files import Progress, clip, pieces

KINDS = {
    "documents": "query_doc.json",
    "pairs": "answer_nli_data.tsv",
    "relations": "relations.tsv",
    "gold": "label.tsv",
    "templates": "templates.tsv",
}
SPLITS = ("train", "dev", "test")
MAX_LINE_BYTES = 2**24  # as for a corpus record; a longer line is skipped without reading it into memory
MAX_KEY_BYTES = 2_000  # of a query, an address, a doc_id: always fits a PostgreSQL index
_ESCAPE = re.compile(r"\\([tnr\\])")
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
_SAYS = {"pairs": ("0", "1"), "relations": ("support", "neutral", "oppose")}


class AnswerFault(NamedTuple):
    """A fault in a line, or in one of its documents. :param problem: reject or duplicate. :param reason: in words."""

    line: int
    problem: str
    reason: str


class AnswerDocument(NamedTuple):
    """A document of a query. :param place: within the line, from 1; 0 for a query without documents; its other fields are None."""

    line: int
    query: str
    place: int
    doc_id: str | None
    url: str | None
    title: str | None
    text: str | None


class AnswerPair(NamedTuple):
    """Two answers and their label or relation. :param unescaped: the five texts; None for each without a backslash escape."""

    line: int
    query: str
    url1: str
    text1: str
    url2: str
    text2: str
    says: str
    unescaped: list[str | None] | None


class QueryLine(NamedTuple):
    """One statement of a line about a query.

    :param says: a doc_id (None for an empty list), or its template.
    :param unescaped: the query.
    """

    line: int
    query: str
    says: str | None
    unescaped: str | None


Record = AnswerDocument | AnswerPair | QueryLine


class RefusedAnswer(ValueError):
    """Raised if a line, or a document of it, cannot be stored; the message says why."""


def records(
    path: Path, kind: str, *, progress: Progress | None = None
) -> Iterator[tuple[int, Sequence[Record], Sequence[AnswerFault]]]:
    """Yield each non-empty line of the file: its number, its records, and its faults.

    :param kind: one of KINDS.
    :raises BadInput: as for :func:`~stcollection.io.files.pieces`.
    """
    for number, line in _lines(path, progress):
        faults: list[AnswerFault] = []
        parsed: Sequence[Record] = ()
        try:
            if line is None:
                raise RefusedAnswer(f"longer than {MAX_LINE_BYTES >> 20} MB")
            if b"\0" in line:
                raise RefusedAnswer("contains U+0000, which PostgreSQL cannot store")
            parsed = _READERS[kind](number, line, kind, faults)
        except RefusedAnswer as refused:
            faults.append(AnswerFault(number, "reject", str(refused)))
        yield number, parsed, faults


def unescape(text: str) -> str | None:
    r"""Return the text with the escapes ``\t``, ``\n``, ``\r`` and ``\\`` replaced; None if it has none of them."""
    if "\\" not in text or not _ESCAPE.search(text):
        return None
    return _ESCAPE.sub(lambda match: _ESCAPED[match[1]], text).strip()


def escape(text: str) -> str:
    r"""Return the text as a field: unchanged, or with tabs, line ends and backslashes escaped if it has a tab or line end."""
    if not any(sign in text for sign in "\t\n\r"):
        return text
    return text.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")


def _lines(path: Path, progress: Progress | None) -> Iterator[tuple[int, bytes | None]]:
    """Yield the non-empty lines with their numbers (from 1), without line ends; None for a line over MAX_LINE_BYTES."""
    number, rest, skipping = 0, bytearray(), False
    for piece in pieces(path, progress=progress):
        *whole, tail = piece.split(b"\n")
        for line in whole:
            number += 1
            if skipping:
                yield number, None
            else:
                yield from _line(number, bytes(rest) + line)
            rest, skipping = bytearray(), False
        if skipping or len(rest) + len(tail) > MAX_LINE_BYTES:
            rest, skipping = bytearray(), True
        else:
            rest += tail
    if skipping:
        yield number + 1, None
    else:
        yield from _line(number + 1, bytes(rest))


def _line(number: int, line: bytes) -> Iterator[tuple[int, bytes | None]]:
    if len(line) > MAX_LINE_BYTES:
        yield number, None
    elif line.strip():
        yield number, line


def _papers(number: int, line: bytes, _: str, faults: list[AnswerFault]) -> Sequence[AnswerDocument]:
    record = _object(line)
    query = _key(record.get("query"), "query")
    docs = record.get("docs")
    if not isinstance(docs, list):
        raise RefusedAnswer("'docs' is not a list")
    documents = []
    for place, doc in enumerate(docs, start=1):
        try:
            documents.append(_paper(number, query, place, doc))
        except RefusedAnswer as refused:
            faults.append(AnswerFault(number, "reject", f"document {place}: {refused}"))
    return documents or [AnswerDocument(number, query, 0, None, None, None, None)]


def _paper(number: int, query: str, place: int, doc: object) -> AnswerDocument:
    if not isinstance(doc, dict):
        raise RefusedAnswer("it is not an object")
    url = _key(doc.get("url") or "", "url", needed=False)
    return AnswerDocument(number, query, place, _key(doc.get("doc_id"), "doc_id"), url, _text(doc, "title"), _text(doc, "doc_text"))


def _object(line: bytes) -> dict[str, Any]:
    try:
        orjson.loads(line)  # unlike json, it refuses NaN and lone surrogates
        record = json.loads(line, object_pairs_hook=_once)
    except (orjson.JSONDecodeError, RecursionError) as error:
        raise RefusedAnswer(f"cannot be read as JSON: {error}") from error
    if not isinstance(record, dict):
        raise RefusedAnswer("it is not a JSON object")
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise RefusedAnswer(f"the key {clip(next(name for name in names if names.count(name) > 1))} occurs twice")
    return members


def _key(value: object, name: str, *, needed: bool = True) -> str:
    """Return a query, an address or a doc_id: a text that identifies rows."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or (needed and not value.strip()):
        raise RefusedAnswer(f"no {name}" if value is None or isinstance(value, str) else f"the {name} is not a text")
    if len(value.encode()) > MAX_KEY_BYTES:
        raise RefusedAnswer(f"the {name} is longer than {MAX_KEY_BYTES:,} bytes: {clip(value)}")
    return _storable(value.strip(), name)


def _text(doc: dict[str, Any], name: str) -> str:
    value = doc.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RefusedAnswer(f"'{name}' is not a text")
    return _storable(value, name)


def _storable(text: str, name: str) -> str:
    if "\0" in text:
        raise RefusedAnswer(f"the {name} contains U+0000, which PostgreSQL cannot store")
    return text


def _fields(line: bytes, columns: int) -> list[str]:
    try:
        fields = line.decode().split("\t")
    except UnicodeDecodeError as error:
        raise RefusedAnswer(f"not UTF-8: byte {line[error.start]:#04x} at {error.start + 1}") from error
    if len(fields) != columns:
        literal = len(fields) == 1 and line.count(b"\\t") + 1 == columns
        what = (
            r"the fields are separated by a backslash and a t, not by a tab"
            if literal
            else f"{counted(len(fields), 'field')} instead of {columns}"
        )
        raise RefusedAnswer(what)
    return [field.strip() for field in fields]


def _pair(number: int, line: bytes, kind: str, _: list[AnswerFault]) -> Sequence[AnswerPair]:
    query, url1, text1, url2, text2, says = _fields(line, 6)
    if says not in _SAYS[kind]:
        what = "label" if kind == "pairs" else "relation"
        raise RefusedAnswer(f"the {what} {clip(says)} is not one of {', '.join(_SAYS[kind])}")
    for name, value in (("query", query), ("url1", url1), ("url2", url2)):
        _key(value, name, needed=name == "query")
    for name, value in (("answer1", text1), ("answer2", text2)):
        if not value:
            raise RefusedAnswer(f"{name} is empty")
    texts = (query, url1, text1, url2, text2)
    unescaped = [unescape(text) for text in texts] if b"\\" in line else None
    if unescaped is not None:
        unescaped = [text or None for text in unescaped] if any(unescaped) else None
    return [AnswerPair(number, *texts, says, unescaped)]


def _gold(number: int, line: bytes, _: str, faults: list[AnswerFault]) -> Sequence[QueryLine]:
    query, cell = _fields(line, 2)
    query = _key(query, "query")
    ids = [doc_id.strip() for doc_id in cell.split(",")] if cell else []
    if "" in ids:
        raise RefusedAnswer("an empty doc_id between commas")
    again = sorted({doc_id for doc_id in ids if ids.count(doc_id) > 1})
    if again:
        faults.append(AnswerFault(number, "duplicate", f"doc_id {', '.join(map(clip, again))} occurs twice"))
    return [QueryLine(number, query, doc_id, unescape(query)) for doc_id in dict.fromkeys(ids)] or [
        QueryLine(number, query, None, unescape(query))
    ]


def _template(number: int, line: bytes, _: str, __: list[AnswerFault]) -> Sequence[QueryLine]:
    query, template = _fields(line, 2)
    if not template:
        raise RefusedAnswer("the template is empty")
    return [QueryLine(number, _key(query, "query"), template, unescape(query))]


_READERS: dict[str, Callable[[int, bytes, str, list[AnswerFault]], Sequence[Record]]] = {
    "documents": _papers, "pairs": _pair, "relations": _pair, "gold": _gold, "templates": _template,
}  # fmt: skip
