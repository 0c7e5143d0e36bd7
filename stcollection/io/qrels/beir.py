"""BEIR's qrels: a header ``query-id corpus-id score``, separated by tabs."""

from __future__ import annotations

from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import Columns, Table


def _sniff(table: Table) -> Columns | None:
    named = table.header is not None and "corpus-id" in (name.lower() for name in table.first)
    return Columns(names=table.header or []) if named else None


FORMAT = QrelsFormat(
    name="beir",
    title="qrels of BEIR: query-id corpus-id score",
    extensions=(".tsv",),
    recognised="a header with query-id and corpus-id",
    fields={"query-id": "query, required", "corpus-id": "doc, required", "score": "rel, an integer"},
    example="qrels/test.tsv",
    sniff=_sniff,
)
