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
    return Columns(names=table.header) if table.delimiter is not None and table.header is not None else None


def _write(judgments: Iterable[Judgment], out: BinaryIO, simulated: bool) -> int:
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    written = 0
    try:
        table = csv.writer(text, lineterminator="\n")
        table.writerow([*_HEADER, *(["simulated"] if simulated else [])])
        for one in judgments:
            written += 1
            table.writerow([one.topic, one.query, one.doc, one.rel, one.origin, *([True] if simulated else [])])
    finally:
        text.detach()
    return written


FORMAT = QrelsFormat(
    name="csv",
    title="a table with a header",
    extensions=(".csv",),
    recognised="a header with query and doc, separated by , or ;",
    fields={
        " or ".join(NAMES["query"][:3]): "query, required; a topic beside it is skipped",
        " or ".join(NAMES["doc"][:4]): "doc, required",
        " or ".join(NAMES["rel"][:4]): "rel; without it each is relevant, grade 1",
        "origin": "human, llm or knn",
        "annotator or assessor": "annotator",
        "simulated": "marks the edition as made up",
    },
    example="qrels/table.csv",
    sniff=_sniff,
    write=_write,
)
