"""Read documents from a table with a header: CSV and TSV."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

import orjson

from stcollection.counts import counted
from stcollection.errors import BadInput
from stcollection.io.corpus import jsonl
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord
from stcollection.io.corpus.fields import DEFAULT, IDS, TEXTS, FieldNames, folded
from stcollection.io.corpus.head import Head
from stcollection.io.formats import CorpusFormat
from stcollection.io.tables import TableLayout, first_row, layout_of

_HEAD, _SAMPLE = 2**17, 50  # bytes and rows used to detect a table
_BARE = {2: ("docno", "text"), 3: ("docno", "title", "text")}  # the columns of a TSV file without a header
_SPELLED = {folded(name): name for name in (*reversed(IDS), "title", *TEXTS)}
_KNOWN = frozenset(_SPELLED)


@dataclass(frozen=True)
class TableRecords:
    """Rows as records: a row becomes a JSON object by column names; a row of another width becomes an array.

    :param columns: names of the columns. A row that repeats the header is skipped.
    """

    layout: TableLayout
    columns: tuple[str, ...]
    header: tuple[str, ...] | None

    def cut(self, data: bytes | bytearray, size: int) -> int:
        return self.layout.cut(data, size)

    def records(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        header, width = list(self.header or ()), self.layout.width
        for before, row in self.layout.rows(data.decode("utf-8", "surrogateescape")):
            if len(row) != width:
                yield before, _json([width, row])
            elif row != header:
                yield before, _json({name: cell for name, cell in zip(self.columns, row, strict=True) if cell})

    def finished(self, tail: bytes | bytearray) -> bool:
        return self.layout.closed(tail)


def _json(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # bytes that are not UTF-8
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape")


def parse(record: bytes, line: int, *, fields: FieldNames = DEFAULT) -> DocumentRecord:
    """Return the document of a row.

    :raises RefusedRecord: the row differs in width from the header; also as :func:`stcollection.io.corpus.jsonl.parse`.
    """
    if record.startswith(b"["):
        width, cells = orjson.loads(record)
        raise RefusedRecord(f"it has {counted(len(cells), 'cell')}, the header has {width}", docno=cells[0].strip() or None)
    return jsonl.parse(record, line, fields=fields)


def _table(head: Head) -> tuple[TableLayout, list[list[str]]] | None:
    """Return the layout of a table, and its first rows."""
    if head.start[:1] in (b"{", b"[", b"<", b"#", b""):
        return None
    text = head.start[:_HEAD].decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    layout = layout_of(text)
    if layout is None:
        return None
    rows = [[cell.strip() for cell in row] for _, row in islice(layout.rows(text), _SAMPLE)]
    return (layout, rows) if rows else None


def _columns(row: list[str]) -> tuple[str, ...]:
    """Return the names of columns; known names as FieldNames spells them, empty names replaced by numbered ones."""
    return tuple(
        (_SPELLED.get(folded(name), name) if name.lower() not in DEFAULT.known else name.lower()) or f"column_{at}"
        for at, name in enumerate(row, 1)
    )


def columns_of(head: Head) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """Return the column names of a table with a header, and its first rows by column; () and [] for any other text."""
    table = _table(head)
    if table is None or first_row(table[1], _KNOWN) == "values":
        return (), []
    names = _columns(table[1][0])
    return names, [dict(zip(names, row, strict=False)) for row in table[1][1:]]


def _is_header(row: list[str]) -> bool:
    names = set(_columns(row))
    return bool(names & set(IDS)) and (bool(names & {"title", *TEXTS}) or len(row) > 2)


def _bare(layout: TableLayout, rows: list[list[str]]) -> bool:
    """Return True if a table has no header: TSV of an id and texts."""
    if layout.delimiter != "\t" or layout.width not in _BARE or first_row(rows, _KNOWN) != "values":
        return False
    texts = sum(len(row) == layout.width and " " in row[-1] for row in rows)
    return not any(map(str.isspace, rows[0][0])) and 2 * texts > len(rows)


def _layout(delimiters: str, head: Head) -> TableRecords | None:
    table = _table(head)
    if table is None or table[0].delimiter not in delimiters:
        return None
    layout, rows = table
    if _bare(layout, rows):
        return TableRecords(layout, _BARE[layout.width], None)
    return TableRecords(layout, _columns(rows[0]), tuple(rows[0]))


def numbered(records: TableRecords, fields: FieldNames) -> TableRecords:
    """Return a table without header, with numbers as names of its columns, if the map names columns by number."""
    width = records.layout.width
    if fields.numbered("documents", records.columns, width):
        return TableRecords(records.layout, tuple(str(at) for at in range(1, width + 1)), None)
    return records


def check(records: TableRecords, path: str) -> None:
    """Check the header of a table.

    :raises BadInput: a repeated column name.
    """
    columns = records.columns
    if twice := sorted({name for name in columns if columns.count(name) > 1}):
        raise BadInput(f"{path}: the header has {', '.join(twice)} more than once", hint="Rename the columns. Nothing was stored.")


def _sniff(delimiters: str, head: Head) -> bool:
    table = _table(head)
    return table is not None and table[0].delimiter in delimiters and (_is_header(table[1][0]) or _bare(*table))


_FIELDS = {
    " or ".join(IDS): "docno, required",
    "title": "title",
    " or ".join(TEXTS): "abstract; title or text is required",
    "all other columns": "kept in doc",
}
CSV = CorpusFormat(
    name="csv",
    title="CSV with a header, separated by commas or semicolons",
    extensions=(".csv",),
    recognised="a header with an id, separated by , or ;",
    fields=_FIELDS,
    example="corpus/csv.csv",
    layout=partial(_layout, ",;"),
    sniff=partial(_sniff, ",;"),
    parse=parse,
    renamed=lambda fields: partial(parse, fields=fields),
)
TSV = CorpusFormat(
    name="tsv",
    title="TSV: with a header, or id and text, or id, title and text",
    extensions=(".tsv", ".txt"),
    recognised="a header with an id, or an id first, separated by tabs",
    fields=_FIELDS,
    example="corpus/tsv.tsv",
    layout=partial(_layout, "\t"),
    sniff=partial(_sniff, "\t"),
    parse=parse,
    renamed=lambda fields: partial(parse, fields=fields),
)
