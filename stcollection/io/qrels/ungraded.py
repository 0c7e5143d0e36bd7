"""Qrels without grades: ``query iter doc``."""

from __future__ import annotations

from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import ITER, Columns, Table


def _sniff(table: Table) -> Columns | None:
    if table.header is not None or len(table.first) != 3:
        return None
    return Columns(names=["query", "_", "doc"]) if all(row[1] in ITER for _, row in table.rows() if len(row) == 3) else None


FORMAT = QrelsFormat(
    name="ungraded",
    title="qrels without grades: query iter doc",
    extensions=(".qrels", ".txt"),
    recognised="three columns, the second 0 or Q0 in every line",
    fields={"first column": "query", "second column": "skipped", "third column": "doc; --relevance sets the grade"},
    example="qrels/ungraded.qrels",
    sniff=_sniff,
)
