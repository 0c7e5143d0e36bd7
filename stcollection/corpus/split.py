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
class Lines(_Json):
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
    """JSON objects in any layout, told apart by counting braces outside of strings: slower, and lost after a broken object."""

    _TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}"]', re.DOTALL)

    def cut(self, data: bytes | bytearray, size: int) -> int:
        last = 0
        for last in self._ends(data, size):  # noqa: B007
            pass
        return last

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        return _pieces(data, self._ends(data, len(data)), _JOINTS)

    def _ends(self, data: bytes | bytearray, size: int) -> Iterator[int]:
        depth = 0
        for token in self._TOKEN.finditer(data, 0, size):
            what = token[0]
            if what == b"{":
                depth += 1
            elif what == b"}":
                depth = max(depth - 1, 0)
                if depth == 0:
                    yield token.end()
            elif what == b'"':  # a string that does not end here
                return


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
