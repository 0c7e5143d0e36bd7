"""Judgments of TIME of the Glasgow collections: a line per query, ``query doc doc …``."""

from __future__ import annotations

from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import Columns, Table


def _sniff(table: Table) -> Columns | None:
    """Return the columns if each line lists different numbers of documents for the next query; else it could be another table."""
    if table.header is not None or table.delimiter is not None:
        return None
    before, widths = 0, set()
    for _, row in table.rows():
        if not all(cell.isdecimal() and int(cell) for cell in row) or int(row[0]) <= before or len(set(row[1:])) < len(row) - 1:
            return None
        before = int(row[0])
        widths.add(len(row))
    return Columns(names=["query", "doc"], unpad=True, listed=True, several=True) if len(widths) > 1 else None


FORMAT = QrelsFormat(
    name="time",
    title="judgments of TIME of the Glasgow collections: query doc doc …",
    extensions=(".rel",),
    recognised="numbers only, a line per query in their order, lines of different lengths",
    fields={"first column": "query, without leading zeros", "other columns": "doc, without leading zeros; grade 1"},
    example="qrels/time.rel",
    sniff=_sniff,
)
