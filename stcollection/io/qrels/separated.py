"""Qrels as CSV: a header that names the columns, separated by commas or semicolons."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import BinaryIO

from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import NAMES, Columns, Table
from stcollection.io.records import Judgment

_HEADER = ("topic", "query", "doc", "rel", "origin")


def _sniff(table: Table) -> Columns | None:
    if table.delimiter in (None, "\t"):
        return None
    bare = {3: ["query", "doc", "rel"], 4: ["query", "_", "doc", "rel"]}
    names = table.header or bare.get(len(table.first))
    return None if names is None else Columns(names=names)


def _write(judgments: Iterable[Judgment], out: BinaryIO, simulated: bool) -> int:
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    written = 0
    try:
        table = csv.writer(text, lineterminator="\n")
        table.writerow([*_HEADER, *(["simulated"] if simulated else [])])
        for row in judgments:
            written += 1
            table.writerow([row.topic, row.query, row.doc, row.rel, row.origin, *([True] if simulated else [])])
    finally:
        text.detach()
    return written


FORMAT = QrelsFormat(
    name="csv",
    title="CSV with a header, or with the columns of TREC or Cranfield",
    extensions=(".csv",),
    recognised="a header with query and doc, or three or four columns, separated by , or ;",
    fields={
        " or ".join(NAMES["query"][:4]): "query, required; a further column of topics is skipped",
        " or ".join(NAMES["doc"][:5]): "doc, required",
        " or ".join(NAMES["rel"][:5]): "rel; without it, --relevance sets the grade",
        "origin": "human, llm or knn",
        "annotator or assessor": "annotator",
        "simulated": "marks the edition as simulated",
    },
    example="qrels/table.csv",
    sniff=_sniff,
    write=_write,
)
