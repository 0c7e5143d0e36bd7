"""Tables of text: cells separated by commas, semicolons or tabs, as spreadsheets and pandas write them.

A row is a line, unless a cell in quotes holds line ends. Real files hold quotes that do not enclose a cell (``5" disk``) or never
close; such a line is read as it is, so that it costs no other row.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stcollection.io.files import bad_line, decoded, pieces

DELIMITERS = "\t;,"
MOST_BYTES = 2**24  # of a row
_BLOCK = 2**20
_NEAR = 2**14  # bytes before a cut in which rows are read
_UNCLOSED = 2**22  # bytes behind a quote in which it must close
_SAMPLE = 200  # rows
csv.field_size_limit(MOST_BYTES)


@cache
def _rows_of(delimiter: str) -> re.Pattern[bytes]:
    """Match as many whole rows as there are. A line with text behind a closing quote is a row of its own, as in :meth:`rows`."""
    sign = re.escape(delimiter.encode())
    enclosed = rb'"[^"]*+(?:""[^"]*+)*+"'
    cell = rb'(?:%b(?=%b|\r?\n)|[^"%b\n][^%b\n]*+|(?=%b|\r?\n))' % (enclosed, sign, sign, sign, sign)
    row = rb"%b(?:%b%b)*+\r?\n" % (cell, sign, cell)
    odd = rb'(?=(?:%b%b)*+%b[^"%b\r\n])[^\n]*+\n' % (cell, sign, enclosed, sign)
    return re.compile(rb"(?:%b|%b)*+" % (row, odd))


@dataclass(frozen=True)
class TableLayout:
    """How a table is written.

    :param delimiter: what separates cells. :param width: the number of cells in a row.
    :param quoted: cells may be enclosed in quotes, and then hold delimiters and line ends.
    """

    delimiter: str
    width: int
    quoted: bool

    def cut(self, data: bytes | bytearray, size: int) -> int:
        """Where the last row that ends within the first ``size`` bytes ends; 0 if none does."""
        if not self.quoted or data.find(b'"', 0, size) < 0:
            return data.rfind(b"\n", 0, size) + 1
        end = self._likely_end(data, size) or self._end(data, size)
        return end if end or size < _UNCLOSED else data.find(b"\n", 0, size) + 1

    def _likely_end(self, data: bytes | bytearray, size: int) -> int:
        """The end of the last line, if quotes are balanced up to there and the rows before it are whole; else 0.

        It saves reading all rows of a block to cut it.
        """
        end = data.rfind(b"\n", 0, size) + 1
        start = data.rfind(b"\n", 0, max(0, end - _NEAR)) + 1
        if start == 0 or data.count(b'"', 0, start) % 2 or data.count(b'"', start, end) % 2:
            return 0
        found = _rows_of(self.delimiter).match(data, start, end)
        return end if found and found.end() == end else 0

    def _end(self, data: bytes | bytearray, size: int) -> int:
        found = _rows_of(self.delimiter).match(data, 0, size)
        return found.end() if found else 0

    def closed(self, tail: bytes | bytearray) -> bool:
        """Whether no cell at the end of a table is left open."""
        return not self.quoted or b'"' not in tail or self._end(bytes(tail) + b"\n", len(tail) + 1) > len(tail)

    def rows(self, text: str, *, line: int = 0) -> Iterator[tuple[int, list[str]]]:
        """The rows of a text, each with its line; blank lines are skipped. A row may have another width than the table.

        :param line: the number of the first line.
        """
        lines = io.StringIO(text, newline="\n").readlines()
        if not self.quoted or '"' not in text:
            for number, one in enumerate(lines, line):
                if (row := self._plain(one))[0] > " " or not _blank(row):
                    yield number, row
            return
        at = 0
        while at < len(lines):
            at = yield from self._enclosed(lines, at, line)

    def _enclosed(self, lines: list[str], at: int, line: int) -> Generator[tuple[int, list[str]], None, int]:
        """The rows from a place in the lines on, up to the first line that is read as it is. :returns: the place behind them."""
        rest = iter(lines)
        rest.__setstate__(at)  # type: ignore[attr-defined]  # where the iterator of a list goes on
        reader = csv.reader(rest, delimiter=self.delimiter, strict=True)
        width, line, read = self.width, line + at, 0  # lines behind the place
        try:
            for row in reader:
                if len(row) == width and (row[0] > " " or not _blank(row)):
                    yield line + read, row
                elif not _blank(row):
                    fits = self._trimmed(row)
                    alone = len(fits) != width and reader.line_num > read + 1
                    yield line + read, self._plain(lines[at + read]) if alone else fits
                    if alone:
                        return at + read + 1
                read = reader.line_num
        except csv.Error:  # a quote that is not closed, or with text behind it
            yield line + read, self._plain(lines[at + read])
            return at + read + 1
        return len(lines)

    def _plain(self, line: str) -> list[str]:
        cells = line.rstrip("\r\n").split(self.delimiter)
        return self._trimmed([_unquoted(cell) for cell in cells] if '"' in line else cells)

    def _trimmed(self, row: list[str]) -> list[str]:
        """A row without empty cells behind the last column."""
        return row[: self.width] if len(row) > self.width and _blank(row[self.width :]) else row


def _blank(cells: Sequence[str]) -> bool:
    return not any(map(str.strip, cells))


def _unquoted(cell: str) -> str:
    bare = cell.strip()
    return bare[1:-1].replace('""', '"') if len(bare) > 1 and bare[0] == bare[-1] == '"' else cell


def layout_of(head: str) -> TableLayout | None:
    """How a table that begins with some text is written; None if it is not a table of two columns at least.

    :param head: its first lines; the last one may be cut.
    """
    lines = head.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n").split("\n")
    text = "\n".join(lines[:_SAMPLE] if len(lines) > _SAMPLE else lines[:-1] or lines)
    found = [layout for sign in DELIMITERS if (layout := _layout(text, sign)) is not None]
    best = min(found, key=lambda one: one[0], default=None)
    return None if best is None or best[0] > 0.5 else best[1]


def _layout(text: str, delimiter: str) -> tuple[float, TableLayout] | None:
    """The layout for one delimiter, and the share of rows of the text that do not fit."""
    if delimiter not in text.partition("\n")[0]:
        return None
    ways = []
    for quoted in (False, True) if delimiter == "\t" else (True, False):  # pandas quotes cells of TSV too; most programs do not
        first = next(csv.reader(io.StringIO(text), delimiter=delimiter), []) if quoted else text.partition("\n")[0].split(delimiter)
        width = len(_shorn(first))
        layout = TableLayout(delimiter, width, quoted)
        widths = [len(row) for _, row in layout.rows(text)]
        if width > 1:
            ways.append((sum(one != width for one in widths) / len(widths), layout))
    return min(ways, key=lambda one: one[0], default=None)


def _shorn(row: list[str]) -> list[str]:
    """A row without the empty cells at its end."""
    cells = list(row)
    while cells and not cells[-1].strip():
        cells.pop()
    return cells


def read_rows(path: Path, layout: TableLayout) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file, each with its line from 1; memory does not grow with the file.

    :raises BadInput: not UTF-8, U+0000, or a row of more than 16 MB; as :func:`~stcollection.io.files.pieces`.
    """
    for line, block in _blocks(path, layout):
        yield from layout.rows(decoded(path, line, block), line=line)


def _blocks(path: Path, layout: TableLayout) -> Iterator[tuple[int, bytes]]:
    """A file in blocks of whole rows, each with the number of its first line."""
    buffer, line, size = bytearray(), 1, _BLOCK
    for piece in pieces(path):
        buffer += piece
        while len(buffer) >= size:
            end = layout.cut(buffer, len(buffer))
            if end:
                block = bytes(buffer[:end])
                yield line, block
                line, size = line + block.count(b"\n"), _BLOCK
                del buffer[:end]
            elif size >= MOST_BYTES:
                raise bad_line(path, line, f"a row of more than {MOST_BYTES >> 20} MB", hint="Is a quote not closed?")
            else:
                size *= 2
    if buffer:
        yield line, bytes(buffer)
