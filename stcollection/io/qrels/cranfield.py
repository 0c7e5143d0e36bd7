"""Cranfield's qrels: ``query doc grade``."""

from __future__ import annotations

from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import Columns, Table


def _sniff(table: Table) -> Columns | None:
    return (
        Columns(names=["query", "doc", "rel"])
        if table.header is None and table.delimiter is None and len(table.first) == 3
        else None
    )


FORMAT = QrelsFormat(
    name="cranfield",
    title="qrels of Cranfield: query doc grade",
    extensions=(".qrel", ".qrels"),
    recognised="three columns",
    fields={"first column": "query", "second column": "doc", "third column": "rel; use --best-grade 1 if 1 is the best grade"},
    example="qrels/cranfield.qrel",
    sniff=_sniff,
)
