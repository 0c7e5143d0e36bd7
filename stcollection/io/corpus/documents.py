"""Convert a record to a document, or to the reason why it is refused."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import Any

import orjson

from stcollection.io.records import DocumentRecord as DocumentRecord

MAX_ID = 2**63 - 1
# Maximum length of title and abstract together. to_tsvector refuses more than 1 MB of lexemes and positions; hyphenated compounds
# are indexed whole and in parts, so that a text can need three times its size.
MAX_TEXT = 2**18

_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")


class RefusedRecord(Exception):
    """A record that cannot be stored.

    :param reason: the reason, as a clause that follows file and line.
    :param docno: its docno, if it could be read.
    """

    def __init__(self, reason: str, *, docno: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.docno = docno


class NotAnObject(RefusedRecord):
    """A record is not a JSON object: it is broken, another value, or the stream was split in the wrong place."""


@dataclass(slots=True)
class Reject:
    """A rejected record. :param record: its first 1,000 characters."""

    line: int
    docno: str | None
    reason: str
    record: str


def make(*, line: int, name: object, doc: bytes, title: str | None, abstract: str | None, cleaned: bool = False) -> DocumentRecord:
    """Return a document from the parts of a record, with cleaned text.

    :param name: the record's id, a number or a string.
    :raises RefusedRecord: the id is not valid.
    """
    docno, number = identity(name)
    title = text_of(title, one_line=True)
    abstract = text_of(abstract)
    cut = len(title or "") + len(abstract or "") > MAX_TEXT
    if cut:
        title = title and title[:MAX_TEXT]
        abstract = abstract and (abstract[: MAX_TEXT - len(title or "")] or None)
    return DocumentRecord(line, docno, number, doc, title, abstract, cleaned, cut)


def compose_document(
    *, line: int, name: str, title: str, abstract: str, cleaned: bool, facts: dict[str, object] | None = None
) -> DocumentRecord:
    """Return a document of a format other than JSON: its doc is an object of id, title, abstract and further fields.

    A document without title and abstract is accepted, because judgments can refer to it.

    :raises RefusedRecord: the id is blank.
    """
    docno, number = identity(name)
    parts: dict[str, object] = {"title": title, "abstract": abstract, **(facts or {})}
    doc = {"id": docno if number is None else number, **{key: part for key, part in parts.items() if part}}
    raw = json.dumps(doc, ensure_ascii=False).encode()
    return make(line=line, name=name, doc=raw, title=title, abstract=abstract, cleaned=cleaned)


def identity(name: object) -> tuple[str, int | None]:
    """Return docno and number of a record's id; the number is None if docno is not an integer within bigint.

    :raises RefusedRecord: missing, empty, neither text nor integer, or a number over 2^63 - 1.
    """
    if name is None or name == "":
        raise RefusedRecord("it has no id")
    if isinstance(name, str):
        docno = storable(name).strip()
        if not docno:
            raise RefusedRecord("its id is blank")
        number = int(docno) if _WHOLE_NUMBER.fullmatch(docno) else -1
        return docno, number if 0 <= number <= MAX_ID else None
    if isinstance(name, bool) or not isinstance(name, int):
        raise RefusedRecord(f"its id {str(name)[:100]} is neither a string nor an integer up to 2^63 - 1")
    if name > MAX_ID:
        raise RefusedRecord(f"its id {name} is over 2^63 - 1; write it as a string to store it as text", docno=str(name))
    return str(name), name if name >= 0 else None


def prose(value: object, what: str, *, name: object) -> str | None:
    """Return a text of a record; the texts of a list, such as paragraphs, are joined by blank lines.

    :param what: name of the field, for the reason. :param name: the record's id.
    :raises RefusedRecord: neither text nor a list of texts.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    if isinstance(value, list | dict):
        kind = "an object" if isinstance(value, dict) else "a list with values that are not text"
    else:
        kind = f"{type(value).__name__} {str(value)[:50]}"
    raise RefusedRecord(f"its {what} is not text or a list of texts: it is {kind}", docno=identity(name)[0])


def text_of(value: str | None, *, one_line: bool = False) -> str | None:
    """Clean a title or abstract: resolve entities, remove unstorable characters, strip; None if nothing is left."""
    if not value:
        return None
    if "&" in value:
        value = _ENTITY.sub(lambda match: html.unescape(match[0]), value)
    value = storable(value)
    return (" ".join(value.split()) if one_line else value.strip()) or None


def storable(text: str) -> str:
    """Remove characters that PostgreSQL refuses (U+0000, lone surrogates); surrogate pairs become their character."""
    if "\0" not in text:
        if text.isascii():
            return text
        try:
            text.encode()  # a tenth of the time of a search for surrogates
        except UnicodeEncodeError:
            pass
        else:
            return text
    return text.replace("\0", "").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def rebuild_text(inverted: Any) -> str | None:
    """Return the text of an inverted abstract ``{"InvertedIndex": {word: [positions]}}``: its words by position.

    Positions without a word are skipped; two words at the same position are both kept. A text longer than MAX_TEXT is cut, as
    long words at many positions could make it much longer than its record.

    :raises RefusedRecord: it has another structure.
    """
    if not inverted:
        return None
    try:
        if isinstance(inverted, str):
            inverted = orjson.loads(inverted)
        index: dict[str, list[int]] = inverted["InvertedIndex"]
        count = sum(map(len, index.values()))
        most = 2 * MAX_TEXT
        # The length of all words together, nearly always enough to decide, takes half the time of the length of the longest.
        if count * len("".join(index)) > most and count * max(map(len, index)) > most:
            return _begun(index)
        return _in_place(index, count) or " ".join(
            [word for _, word in sorted((at, word) for word, places in index.items() for at in places)]
        )
    except (KeyError, TypeError, AttributeError, orjson.JSONDecodeError):
        raise RefusedRecord("its inverted abstract is not {word: [positions]}") from None


def _begun(index: dict[str, list[int]]) -> str:
    """Return the text of an index up to a little more than MAX_TEXT."""
    words: list[str] = []
    length = 0
    for _, word in sorted((at, word) for word, places in index.items() for at in places):
        words.append(word)
        length += len(word) + 1
        if length > MAX_TEXT + 1:
            break
    return " ".join(words)


def _in_place(index: dict[str, list[int]], count: int) -> str | None:
    """Return the text of an index with positions 0 to count - 1 (nearly all) without sorting; None for others."""
    placed: list[str | None] = [None] * count
    try:
        for word, places in index.items():
            for at in places:
                placed[at] = word
    except IndexError:
        return None
    try:
        return " ".join(placed)  # type: ignore[arg-type]
    except TypeError:  # a position without a word
        return None
