"""Qrels of sampled pools, as TREC publishes them: ``query iter doc stratum grade``, with grade -1 for documents not drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import ITER, Columns, Table, grade
from stcollection.io.qrels.trec import check_names
from stcollection.io.records import Judgment


def _sniff(table: Table) -> Columns | None:
    if table.header is not None or table.delimiter is not None or len(table.first) != 5:
        return None
    _, iteration, _, _, rel = table.first
    return Columns(names=["query", "_", "doc", "stratum", "rel"]) if iteration in ITER and grade(rel) is not None else None


def _write(judgments: Iterable[Judgment], out: BinaryIO, _simulated: bool) -> int:
    """Write lines ``query 0 doc stratum grade``.

    :raises BadArgument: a name contains white space, which the format cannot represent.
    """
    written = 0
    for judgment in judgments:
        written += 1
        check_names(judgment.query, judgment.doc, judgment.stratum or "")
        out.write(f"{judgment.query} 0 {judgment.doc} {judgment.stratum} {judgment.rel}\n".encode())
    return written


FORMAT = QrelsFormat(
    name="strata",
    title="TREC qrels of a sampled pool: query iter doc stratum grade",
    extensions=(".qrels", ".txt"),
    recognised="five columns, the second 0 or Q0",
    fields={
        "first column": "query",
        "second column": "skipped",
        "third column": "doc",
        "fourth column": "stratum",
        "fifth column": "rel, an integer; negative: in the stratum, but not drawn",
    },
    example="qrels/strata.qrels",
    sniff=_sniff,
    write=_write,
)
