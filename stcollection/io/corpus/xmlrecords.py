"""Split XML into records, and parse one record at a time.

A record is parsed without the document type declaration of its file. External entities are therefore never read, and entities that
a file declares are never expanded: a file that declares any is refused, so that it cannot grow beyond its size in memory. Names of
HTML (``&uuml;``), which the DTD of dblp declares, are replaced.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.entities import html5
from xml.etree import ElementTree as ET
from xml.parsers.expat import ErrorString

from stcollection.errors import BadInput
from stcollection.io.corpus.decoding import utf8
from stcollection.io.corpus.documents import RefusedRecord
from stcollection.io.corpus.head import Head
from stcollection.io.files import clip

_PROLOG = 2**16  # bytes in which the declarations of a file are looked for
_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_DECLARED = re.compile(rb"<!ENTITY\s+(?:%\s+)?([^\s>]+)")
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_OF_XML = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_ASIDE = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_DOCTYPE = re.compile(rb"<!DOCTYPE\s+([A-Za-z]+)")
_FIRST = re.compile(rb"<([A-Za-z]+)(?=[\s>])")
_ASCII = bytes(range(128))


@dataclass(frozen=True)
class XmlRecords:
    """From the start tag of a record to its end tag.

    :param names: element names of records. :param skipped: element names of what else the file contains at the same place.
    :param root: the name of the root element; None if the stream begins with a record.
    :param encoding: as declared; records become UTF-8.
    """

    names: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    root: str | None = None
    encoding: str = "utf-8"
    _start: re.Pattern[bytes] = field(init=False, repr=False, compare=False)
    _end: re.Pattern[bytes] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = "|".join((*self.names, *self.skipped)).encode()
        object.__setattr__(self, "_start", re.compile(rb"<(" + names + rb")(?=[\s>])"))
        object.__setattr__(self, "_end", re.compile(rb"</(?:" + names + rb")\s*>"))

    def cut(self, data: bytes | bytearray, size: int) -> int:
        last = max(data.rfind(f"</{name}>".encode(), 0, size) for name in (*self.names, *self.skipped))
        return data.index(b">", last) + 1 if last >= 0 else 0

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the records. Of a record without an end tag, its text up to the next record is yielded, to be refused."""
        names = frozenset(name.encode() for name in self.names)
        lines = counted = behind = 0
        for end in (*(match.end() for match in self._end.finditer(data)), len(data)):
            starts = list(self._start.finditer(data, behind, end))
            for place, match in enumerate(starts):
                start = match.start()
                if match[1] in names:
                    lines += data.count(b"\n", counted, start)
                    counted = start
                    stop = starts[place + 1].start() if place + 1 < len(starts) else end
                    yield lines, self._utf8(data[start:stop].rstrip())
            behind = end

    def finished(self, tail: bytes | bytearray) -> bool:
        rest = bytes(tail[self.cut(tail, len(tail)) :]).rstrip()
        if self.root is not None:
            return rest.endswith(f"</{self.root}>".encode())
        return self._start.search(rest) is None

    def _utf8(self, record: bytes) -> bytes:
        return record if self.encoding == "utf-8" else record.decode(self.encoding, "replace").encode()


def layout(head: Head, *, root: str, names: tuple[str, ...], skipped: tuple[str, ...] = ()) -> XmlRecords | None:
    """Return the splitter for a stream with this root element, or that begins with a record; None for other streams."""
    if not head.start.startswith(b"<"):
        return None
    start = _ASIDE.sub(b"", head.start[:_PROLOG]).lstrip()
    match = _DOCTYPE.match(start) or _FIRST.match(start)
    name = match[1].decode() if match else ""
    if name not in (root, *names, *skipped):
        return None
    return XmlRecords(names, skipped, root if name == root else None, _encoding(head) or "utf-8")


def _encoding(head: Head) -> str | None:
    """Return the declared encoding: UTF-8 for ASCII and without a declaration; None if it is unknown or does not extend ASCII."""
    declared = _ENCODING.match(head.start)
    if declared is None:
        return "utf-8"
    try:
        name = codecs.lookup(declared[1].decode()).name
        return {"ascii": "utf-8"}.get(name, name) if _ASCII.decode(name) == _ASCII.decode() else None
    except (LookupError, ValueError):
        return None


def check(head: Head, path: str) -> None:
    """Check the declarations of an XML file.

    :raises BadInput: it declares entities, or an encoding that is unknown or not an extension of ASCII.
    """
    start = _ASIDE.sub(b"", head.start[:_PROLOG])
    first = _FIRST.search(start)
    start = start[: first.start()] if first else start
    if (match := _DECLARED.search(start)) is not None:
        raise BadInput(
            f"{path}: the file declares the entity {clip(match[1])}; declared entities are not expanded",
            hint="Remove the declarations, and write the characters themselves. Nothing was stored.",
        )
    if _encoding(head) is None:
        name = re.sub(rb".*encoding\s*=\s*", b"", head.start.partition(b"?>")[0], flags=re.DOTALL)[:40].decode("utf-8", "replace")
        raise BadInput(
            f"{path}: the file declares the encoding {name}, which cannot be read",
            hint="Convert the file to UTF-8 with iconv, and correct its first line. Nothing was stored.",
        )


def parsed(record: bytes, line: int) -> ET.Element:
    """Return the element of a record.

    :raises RefusedRecord: not UTF-8, not well-formed, or an entity that HTML does not have.
    """
    if not record.isascii():
        utf8(record, line)
    if b"&" in record:
        record = _ENTITY.sub(_character, record)
    parser = ET.XMLParser(encoding="utf-8")  # noqa: S314
    try:
        parser.feed(record)
        element = parser.close()
    except ET.ParseError as error:
        row = line + error.position[0] - 1
        raise RefusedRecord(f"it is not well-formed XML: {ErrorString(error.code)} in line {row}") from None
    return element


def _character(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if name in _OF_XML:
        return match[0]
    character = html5.get(f"{name.decode()};")
    if character is None:
        raise RefusedRecord(f"the entity &{name.decode()[:40]}; is not defined; only names of HTML are known")
    return character.replace("&", "&amp;").replace("<", "&lt;").encode()


def text_of(element: ET.Element | None) -> str:
    """Return the text of an element with the text of its markup, on one line; '' for None."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
