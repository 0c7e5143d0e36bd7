"""Qrels in JSON: objects with query, document and grade, or one object of grades by query and document."""

from __future__ import annotations

from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import NAMES, Columns, Table


def _sniff(table: Table) -> Columns | None:
    return Columns(names=table.header) if table.json and table.header is not None else None


FORMAT = QrelsFormat(
    name="jsonl",
    title="JSON lines, a JSON array, or grades by query and document",
    extensions=(".jsonl", ".json"),
    recognised="JSON objects with query and doc, or objects of numbers",
    fields={
        " or ".join(NAMES["query"][:4]): "query, required",
        " or ".join(NAMES["doc"][:5]): "doc, required",
        " or ".join(NAMES["rel"][:5]): "rel; without it, --relevance sets the grade",
        '{"q1": {"d1": 2}}': "the same, in the form of pytrec_eval, ranx and BEIR",
    },
    example="qrels/qrels.jsonl",
    sniff=_sniff,
)
