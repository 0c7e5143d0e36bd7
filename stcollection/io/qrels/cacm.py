"""CACM's qrels: ``query doc 0 0``, with zero-padded numbers."""

from __future__ import annotations

from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import ITER, Columns, Table, grade


def _sniff(table: Table) -> Columns | None:
    if table.header is not None or len(table.first) != 4 or table.first[1] in ITER:
        return None
    if not all(set(map(grade, row[2:])) == {0} for _, row in table.rows() if len(row) == 4):
        return None
    return Columns(names=["query", "doc", "_", "_"], unpad=True, listed=True)


FORMAT = QrelsFormat(
    name="cacm",
    title="qrels of CACM: query doc 0 0",
    extensions=(".text", ".rel"),
    recognised="four columns, the last two 0 or 0.000000 in every line",
    fields={
        "first column": "query, without leading zeros",
        "second column": "doc, without leading zeros; grade 1, as the format lists only relevant documents",
    },
    example="qrels/cacm.text",
    sniff=_sniff,
)
