"""Find the ends of records: cut a stream into chunks at the ends of records, and a chunk into its records.

A splitter is a pure function of the bytes, so that a file always gives the same chunks, on which a resumed load relies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

_BLANKS = b" \t\r\n"
_JOINTS = b"[], \t\r\n"  # characters between the objects of a JSON array


class Splitter(Protocol):
    def cut(self, data: bytes | bytearray, size: int) -> int:
        """Return the end of the last record within the first ``size`` bytes; 0 if no record ends there."""

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the records of a chunk, each with the number of lines before it."""

    def finished(self, tail: bytes | bytearray) -> bool:
        """Return True if a stream with this end is complete. :param tail: at least everything after the last cut."""


@dataclass(frozen=True)
class _Json:
    """JSON objects one after another, or in an array."""

    array: bool

    def finished(self, tail: bytes | bytearray) -> bool:
        return not self.array or tail.rstrip().endswith(b"]")


@dataclass(frozen=True)
class LineRecords(_Json):
    """One record per line: JSON lines, or a JSON array with one object per line and commas at either end of the lines."""

    def cut(self, data: bytes | bytearray, size: int) -> int:
        return data.rfind(b"\n", 0, size) + 1

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        around = _JOINTS if self.array else b"," + _BLANKS
        for number, line in enumerate(data.split(b"\n")):
            record = line.strip(around)
            if record:
                yield number, record


@dataclass(frozen=True)
class Pretty(_Json):
    """Indented JSON objects over several lines: an object ends with a brace that has the same indentation as its first.

    :param indent: the indentation of that brace.
    """

    indent: bytes

    def cut(self, data: bytes | bytearray, size: int) -> int:
        return _after(data, b"\n" + self.indent + b"}", size)

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        return _ending_with(data, re.compile(rb"\n" + re.escape(self.indent) + rb"\}"), _JOINTS)


@dataclass(frozen=True)
class Nested(_Json):
    """JSON in any layout: elements of an array, or consecutive values, found by counting brackets outside strings.

    Elements that are not objects are separate records, so that the objects around them are not lost. This is slower than the other
    two layouts. A bracket that is never closed makes the rest of the data one record.
    """

    _TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]"]', re.DOTALL)
    _OPENED = re.compile(rb"\s*\[")
    _BARE = re.compile(rb"[^\s,\[\]{}](?:[^,\[\]{}]*[^\s,\[\]{}])?")  # null, numbers, and text that is not JSON

    def cut(self, data: bytes | bytearray, size: int) -> int:
        last = 0
        for start, end, whole in self.elements(data, size):
            if whole and data[start] in b"{[":
                last = end
        return last

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        lines = counted = 0
        for start, end, _ in self.elements(data, len(data)):
            lines += data.count(b"\n", counted, start)
            counted = start
            yield lines, data[start:end].rstrip(_BLANKS)

    def elements(self, data: bytes | bytearray, size: int, *, start: int = 0) -> Iterator[tuple[int, int, bool]]:
        """Yield start and end of each element within the first ``size`` bytes, and whether it is complete.

        :param start: where to begin; inside an array, unless it is 0 and the data begins with a bracket.
        """
        inside = start > 0 or self._OPENED.match(data) is None
        depth, behind = 0, start
        for token in self._TOKEN.finditer(data, start, size):
            sign, at = token[0], token.start()
            if depth == 0:
                yield from self._bare(data, behind, at)
                behind = token.end()
                start = at
                if sign == b"]":
                    inside = False
                elif sign == b"[" and self.array and not inside:
                    inside = True
                elif sign in (b"{", b"["):
                    depth = 1
                elif sign == b'"':  # a string that does not end within the data
                    depth = 1
                    break
                else:
                    yield at, behind, True
            elif sign in (b"{", b"["):
                depth += 1
            elif sign in (b"}", b"]"):
                depth -= 1
                behind = token.end()
                if depth == 0:
                    yield start, behind, True
            elif sign == b'"':
                break
        if depth:
            yield start, size, False
        else:
            yield from self._bare(data, behind, size)

    def _bare(self, data: bytes | bytearray, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        for match in self._BARE.finditer(data, start, end):
            yield match.start(), match.end(), True


@dataclass(frozen=True)
class Tagged:
    """TREC: from a start tag <DOC> to its end tag, in any case, with attributes and blanks.

    Text outside of documents is a record too, which the parser refuses, so that it is counted. A document that is still open where
    the next begins ends there, without an end tag. A <DOC> within a document begins another only if it names it (``id``), or if
    markup follows: text can mention the tag.
    """

    START = re.compile(rb"<DOC(?:\s[^<>]*)?>", re.IGNORECASE)
    _INSIDE = re.compile(
        rb"</DOC\s*>|<DOC\s[^<>]*\b(?:doc)?(?:id|no)\s*=[^<>]*>|<DOC(?:\s[^<>]*)?>(?=\s*<[A-Za-z!])", re.IGNORECASE
    )
    _OUTSIDE = re.compile(rb"<!--.*?-->|<DOC(?:\s[^<>]*)?>", re.IGNORECASE | re.DOTALL)
    # Markup that may be outside of documents: comments, declarations, processing instructions, the tags of a root element.
    _ASIDE = re.compile(rb"<!--.*?-->|<!DOCTYPE[^<>\[]*(?:\[.*?\]\s*)?>|<[?!][^<>]*>|</?[A-Za-z][^<>]*>|[\s\0\x1a]", re.DOTALL)

    def cut(self, data: bytes | bytearray, size: int) -> int:
        return max((end for _, end, ended in self._documents(data, size) if ended), default=0)

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        behind = 0
        pieces: list[tuple[int, int]] = []
        for start, end, _ in self._documents(data, len(data)):
            pieces += [(behind, start), (start, end)]
            behind = end
        lines = counted = 0
        for start, end in (*pieces, (behind, len(data))):
            record = data[start:end]
            bare = record.lstrip(_BLANKS)
            if self.START.match(bare) or self._ASIDE.sub(b"", bare):
                begins = end - len(bare)
                lines += data.count(b"\n", counted, begins)
                counted = begins
                yield lines, bare.rstrip(_BLANKS)

    def finished(self, tail: bytes | bytearray) -> bool:
        return all(ended for _, _, ended in self._documents(tail, len(tail)))

    def _documents(self, data: bytes | bytearray, size: int) -> Iterator[tuple[int, int, bool]]:
        """Yield start and end of each document within the first ``size`` bytes, and whether it ends there."""
        at = 0
        while (match := self._OUTSIDE.search(data, at, size)) is not None:
            at = match.end()
            if match[0].startswith(b"<!"):
                continue
            start = match.start()
            while (match := self._INSIDE.search(data, at, size)) is not None:
                at = match.end()
                if match[0].startswith(b"</"):
                    yield start, at, True
                    break
                yield start, match.start(), True
                start = match.start()
            else:
                yield start, size, False
                return


@dataclass(frozen=True)
class Headed:
    """SMART: from one line that begins with .I to the next. A truncated file cannot be detected.

    :param head: the beginning of the first line of a record. :param stop: the last line of a file, which is no record.
    """

    head: re.Pattern[bytes] = re.compile(rb"^\.I(?=\s)", re.MULTILINE)
    stop: bytes | None = None

    def cut(self, data: bytes | bytearray, size: int) -> int:
        return max((match.start() for match in self.head.finditer(data, 0, size)), default=0)

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        pieces = _pieces(data, (match.start() for match in self.head.finditer(data)), _BLANKS)
        return ((line, record) for line, record in pieces if record != self.stop)

    def finished(self, tail: bytes | bytearray) -> bool:
        return True


def _after(data: bytes | bytearray, ending: bytes, size: int) -> int:
    start = data.rfind(ending, 0, size)
    return start + len(ending) if start >= 0 else 0


def _ending_with(data: bytes, ending: re.Pattern[bytes], around: bytes) -> Iterator[tuple[int, bytes]]:
    return _pieces(data, (match.end() for match in ending.finditer(data)), around)


def _pieces(data: bytes, ends: Iterator[int], around: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the pieces between the ends and after the last end, without pieces that consist of ``around`` only."""
    start = lines = 0
    for end in (*ends, len(data)):
        piece = data[start:end]
        bare = piece.lstrip(around)
        record = bare.rstrip(around)
        if record:
            yield lines + piece.count(b"\n", 0, len(piece) - len(bare)), record
        lines += piece.count(b"\n")
        start = end
