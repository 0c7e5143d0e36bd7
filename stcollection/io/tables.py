"""Read tables of text with cells separated by commas, semicolons or tabs, as spreadsheets and pandas write them.

A row is a line, unless a quoted cell contains line ends. Real files contain quotes that do not enclose a cell (``5" disk``) or are
never closed; such a line is read unchanged, so that no other row is lost.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from stcollection.io.corpus.fields import folded
from stcollection.io.files import bad_line, decoded, pieces

DELIMITERS = "\t;,"
MOST_BYTES = 2**24  # maximum bytes per row
_BLOCK = 2**20
_NEAR = 2**14  # bytes before a cut whose rows are checked
_UNCLOSED = 2**22  # maximum bytes from an opening to its closing quote
_SAMPLE = 200  # rows used to detect the layout
_NAME = re.compile(r"[^\W\d][^?!,;\"]{0,49}")  # of a column
_MOST_WORDS = 4  # of such a name
_LONG_TEXT = 3  # words of a text that is not a name of a column, if ids do not decide
csv.field_size_limit(MOST_BYTES)


@cache
def _rows_of(delimiter: str) -> re.Pattern[bytes]:
    """Return a pattern for all whole rows. A line with text after a closing quote is a separate row, as in :meth:`rows`."""
    sign = re.escape(delimiter.encode())
    enclosed = rb'"[^"]*+(?:""[^"]*+)*+"'
    cell = rb'(?:%b(?=%b|\r?\n)|[^"%b\n][^%b\n]*+|(?=%b|\r?\n))' % (enclosed, sign, sign, sign, sign)
    row = rb"%b(?:%b%b)*+\r?\n" % (cell, sign, cell)
    odd = rb'(?=(?:%b%b)*+%b[^"%b\r\n])[^\n]*+\n' % (cell, sign, enclosed, sign)
    return re.compile(rb"(?:%b|%b)*+" % (row, odd))


@dataclass(frozen=True)
class TableLayout:
    """The delimiter, width and quoting of a table.

    :param delimiter: character between cells. :param width: number of cells per row.
    :param quoted: True if cells can be enclosed in quotes and then contain delimiters and line ends.
    """

    delimiter: str
    width: int
    quoted: bool

    def cut(self, data: bytes | bytearray, size: int) -> int:
        """Return the end of the last row within the first ``size`` bytes; 0 if no row ends there."""
        if not self.quoted or data.find(b'"', 0, size) < 0:
            return data.rfind(b"\n", 0, size) + 1
        end = self._likely_end(data, size) or self._end(data, size)
        return end if end or size < _UNCLOSED else data.find(b"\n", 0, size) + 1

    def _likely_end(self, data: bytes | bytearray, size: int) -> int:
        """Return the end of the last line if quotes are balanced up to it and the rows before it are whole; else 0.

        This avoids parsing all rows of a block only to cut it.
        """
        end = data.rfind(b"\n", 0, size) + 1
        start = data.rfind(b"\n", 0, max(0, end - _NEAR)) + 1
        if start == 0 or data.count(b'"', 0, start) % 2 or data.count(b'"', start, end) % 2:
            return 0
        match = _rows_of(self.delimiter).match(data, start, end)
        return end if match and match.end() == end else 0

    def _end(self, data: bytes | bytearray, size: int) -> int:
        match = _rows_of(self.delimiter).match(data, 0, size)
        return match.end() if match else 0

    def closed(self, tail: bytes | bytearray) -> bool:
        """Return True if no quoted cell is open at the end of a table."""
        return not self.quoted or b'"' not in tail or self._end(bytes(tail) + b"\n", len(tail) + 1) > len(tail)

    def rows(self, text: str, *, line: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of a text with their lines, without blank lines. A row can differ in width from the table.

        :param line: the number of the first line.
        """
        lines = io.StringIO(text, newline="\n").readlines()
        if not self.quoted or '"' not in text:
            for number, raw in enumerate(lines, line):
                if (row := self._plain(raw))[0] >= "!" or not _blank(row):
                    yield number, row
            return
        at = 0
        while at < len(lines):
            at = yield from self._enclosed(lines, at, line)

    def _enclosed(self, lines: list[str], at: int, line: int) -> Generator[tuple[int, list[str]], None, int]:
        """Yield the rows from an index in the lines to the first line that is read unchanged. :returns: the index after them."""
        rest = iter(lines)
        rest.__setstate__(at)  # type: ignore[attr-defined]  # set the position of the list iterator
        reader = csv.reader(rest, delimiter=self.delimiter, strict=True)
        width, line, read = self.width, line + at, 0  # read: number of lines after the index
        try:
            for row in reader:
                if len(row) == width and (row[0] >= "!" or not _blank(row)):
                    yield line + read, row
                elif not _blank(row):
                    fits = self._trimmed(row)
                    alone = len(fits) != width and reader.line_num > read + 1
                    yield line + read, self._plain(lines[at + read]) if alone else fits
                    if alone:
                        return at + read + 1
                read = reader.line_num
        except csv.Error:  # a quote that is not closed, or is followed by text
            yield line + read, self._plain(lines[at + read])
            return at + read + 1
        return len(lines)

    def _plain(self, line: str) -> list[str]:
        cells = line.rstrip("\r\n").split(self.delimiter)
        return self._trimmed([_unquoted(cell) for cell in cells] if '"' in line else cells)

    def _trimmed(self, row: list[str]) -> list[str]:
        """Return a row without empty cells after the last column."""
        return row[: self.width] if len(row) > self.width and _blank(row[self.width :]) else row


def _blank(cells: Sequence[str]) -> bool:
    return not any(map(str.strip, cells))


def _unquoted(cell: str) -> str:
    bare = cell.strip()
    return bare[1:-1].replace('""', '"') if len(bare) > 1 and bare[0] == bare[-1] == '"' else cell


def layout_of(head: str) -> TableLayout | None:
    """Detect the layout of a table from its beginning; None if it is not a table of at least two columns.

    :param head: its first lines; the last line may be incomplete.
    """
    lines = head.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n").split("\n")
    text = "\n".join(lines[:_SAMPLE] if len(lines) > _SAMPLE else lines[:-1] or lines)
    layouts = [layout for sign in DELIMITERS if (layout := _layout(text, sign)) is not None]
    best = min(layouts, key=lambda way: way[0], default=None)
    return None if best is None or best[0] > 0.5 else best[1]


def header_of(head: str) -> tuple[TableLayout | None, list[str]]:
    """Return the layout of a table and the cells of its first row in lower case; None and [] if it is not a table.

    :param head: its first lines; the last line may be incomplete.
    """
    layout = layout_of(head)
    first = [] if layout is None else next(layout.rows(head), (0, []))[1]
    return layout, [cell.strip().lower() for cell in first]


def first_row(rows: Sequence[Sequence[str]], known: Collection[str]) -> Literal["names", "values", "unclear"]:
    """Decide whether the first row of a table names its columns, or is a row like the others, with an id first.

    Rows whose ids have digits differ from names of columns. Where ids are words, only a text that is too long for a name decides.

    :param rows: the first rows, without blank ones. :param known: usual names of columns, as :func:`folded` returns them.
    """
    first, ids = [cell.strip() for cell in rows[0]], [row[0].strip() for row in rows[1:]]
    cells = [cell for cell in first if cell]
    if cells in ([str(at) for at in range(start, start + len(cells))] for start in (0, 1)):
        return "unclear"  # pandas numbers columns without names
    if not all(_NAME.fullmatch(cell) and len(cell.split()) <= _MOST_WORDS for cell in cells):
        return "values"
    shapes = {_shape(cell) for cell in ids}
    if any(map(str.isdigit, first[0])):
        if _shape(first[0]) in shapes:
            return "values"
        numbered = len({_shape(cell) for cell in cells}) == 1 < len(cells)  # V1, V2, as R names columns
        return "names" if any(folded(cell) in known for cell in cells) else "unclear" if numbered else "values"
    if any(folded(cell) in known for cell in cells) or 2 * sum("9" in shape for shape in map(_shape, ids)) > len(ids) > 0:
        return "names"
    return "values" if len(cells[-1].split()) >= _LONG_TEXT else "unclear"


def _shape(cell: str) -> str:
    """Return the kinds of characters of an id: ``q12`` and ``q7`` are both ``a9``."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", cell))


def _layout(text: str, delimiter: str) -> tuple[float, TableLayout] | None:
    """Return the layout for a delimiter, and the share of rows that do not fit it."""
    if delimiter not in text.partition("\n")[0]:
        return None
    ways = []
    for quoted in (False, True) if delimiter == "\t" else (True, False):  # pandas also quotes cells of TSV; most programs do not
        first = next(csv.reader(io.StringIO(text), delimiter=delimiter), []) if quoted else text.partition("\n")[0].split(delimiter)
        width = len(_shorn(first))
        layout = TableLayout(delimiter, width, quoted)
        widths = [len(row) for _, row in layout.rows(text)]
        if width > 1:
            ways.append((sum(count != width for count in widths) / len(widths), layout))
    return min(ways, key=lambda way: way[0], default=None)


def _shorn(row: list[str]) -> list[str]:
    """Return a row without the empty cells at its end."""
    cells = list(row)
    while cells and not cells[-1].strip():
        cells.pop()
    return cells


def read_rows(path: Path, layout: TableLayout) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file with their lines (from 1), in bounded memory.

    :raises BadInput: not UTF-8, U+0000, or a row of more than 16 MB; also as :func:`~stcollection.io.files.pieces`.
    """
    for line, block in _blocks(path, layout):
        yield from layout.rows(decoded(path, line, block), line=line)


def _blocks(path: Path, layout: TableLayout) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole rows of a file, each with the number of its first line."""
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
                raise bad_line(path, line, f"a row of more than {MOST_BYTES >> 20} MB", hint="Check for an unclosed quote.")
            else:
                size *= 2
    if buffer:
        yield line, bytes(buffer)
