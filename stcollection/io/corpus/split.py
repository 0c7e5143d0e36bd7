"""Where a record ends: how a stream is cut into chunks at the ends of records, and a chunk into its records.

A splitter is a pure function of the bytes, so that the same file falls into the same chunks each time: a resumed load counts on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

_BLANKS = b" \t\r\n"
_JOINTS = b"[], \t\r\n"  # what stands between the objects of a JSON array


class Splitter(Protocol):
    def cut(self, data: bytes | bytearray, size: int) -> int:
        """Where the last record that ends within the first ``size`` bytes ends; 0 if none does."""

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The records of a chunk, each with the number of lines before it."""

    def finished(self, tail: bytes | bytearray) -> bool:
        """Whether a stream with this end is whole, not cut off. :param tail: at least all after the last cut."""


@dataclass(frozen=True)
class _Json:
    """JSON objects one after another, or in an array."""

    array: bool

    def finished(self, tail: bytes | bytearray) -> bool:
        return not self.array or tail.rstrip().endswith(b"]")


@dataclass(frozen=True)
class LineRecords(_Json):
    """A record a line: JSON lines, or a JSON array with one object a line, whether a line ends or begins with the comma."""

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
    """JSON objects over several lines, indented: one ends with a brace that stands as far in as the one it began with.

    :param indent: what stands before that brace on its line.
    """

    indent: bytes

    def cut(self, data: bytes | bytearray, size: int) -> int:
        return _after(data, b"\n" + self.indent + b"}", size)

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        return _ending_with(data, re.compile(rb"\n" + re.escape(self.indent) + rb"\}"), _JOINTS)


@dataclass(frozen=True)
class Nested(_Json):
    """JSON in any layout: the elements of the array, or the values in a row, found by counting brackets outside strings.

    Elements that are not objects are records of their own, so that the objects around them are not lost. Slower than the other two
    layouts. A bracket that is never closed takes the rest of the data with it.
    """

    _TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]"]', re.DOTALL)
    _OPENED = re.compile(rb"\s*\[")
    _BARE = re.compile(rb"[^\s,\[\]{}](?:[^,\[\]{}]*[^\s,\[\]{}])?")  # null, numbers, and what is no JSON at all

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
        """Start and end of each element within the first ``size`` bytes, and whether it is complete.

        :param start: where to begin; in the middle of an array, unless it is 0 and the data begins with a bracket.
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
                elif sign == b'"':  # a string that does not end here
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
        for found in self._BARE.finditer(data, start, end):
            yield found.start(), found.end(), True


@dataclass(frozen=True)
class Tagged:
    """TREC: from <DOC> to </DOC>."""

    _END = re.compile(rb"</DOC>", re.IGNORECASE)

    def cut(self, data: bytes | bytearray, size: int) -> int:
        return max(_after(data, b"</DOC>", size), _after(data, b"</doc>", size))

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for line, record in _ending_with(data, self._END, _BLANKS):
            if b"<doc>" in record.lower():  # else what stands around the documents
                yield line, record

    def finished(self, tail: bytes | bytearray) -> bool:
        after = tail[self.cut(tail, len(tail)) :].lower()
        return b"<doc>" not in after


@dataclass(frozen=True)
class Headed:
    """SMART: from one .I to the next. Nothing tells that a file is cut off."""

    _HEAD = re.compile(rb"^\.I[ \t]+\S", re.MULTILINE)

    def cut(self, data: bytes | bytearray, size: int) -> int:
        return max((found.start() for found in self._HEAD.finditer(data, 0, size)), default=0)

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        return _pieces(data, (found.start() for found in self._HEAD.finditer(data)), _BLANKS)

    def finished(self, tail: bytes | bytearray) -> bool:
        return True


def _after(data: bytes | bytearray, ending: bytes, size: int) -> int:
    found = data.rfind(ending, 0, size)
    return found + len(ending) if found >= 0 else 0


def _ending_with(data: bytes, ending: re.Pattern[bytes], around: bytes) -> Iterator[tuple[int, bytes]]:
    return _pieces(data, (found.end() for found in ending.finditer(data)), around)


def _pieces(data: bytes, ends: Iterator[int], around: bytes) -> Iterator[tuple[int, bytes]]:
    """What lies between the ends, and after the last; pieces of nothing but ``around`` are left out."""
    start = lines = 0
    for end in (*ends, len(data)):
        piece = data[start:end]
        bare = piece.lstrip(around)
        record = bare.rstrip(around)
        if record:
            yield lines + piece.count(b"\n", 0, len(piece) - len(bare)), record
        lines += piece.count(b"\n")
        start = end
