"""TREC's qrels: ``query iter doc grade``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from stcollection.errors import BadArgument
from stcollection.io.formats import QrelsFormat
from stcollection.io.qrels.table import Columns, Table
from stcollection.io.records import Judgment


def _sniff(table: Table) -> Columns | None:
    if table.header is not None:
        return Columns(names=table.header) if table.delimiter in (None, "\t") and not table.json else None
    return Columns(names=["query", "_", "doc", "rel"]) if len(table.first) == 4 else None


def check_names(*names: str) -> None:
    """Check that names have no white space.

    :raises BadArgument: one has, which TREC's format cannot represent.
    """
    for name in names:
        if any(sign in name for sign in " \t\n\r\v\f"):
            raise BadArgument(
                f"the name {name!r} contains white space, which TREC's format cannot represent",
                hint="'stc export qrels --format csv' can.",
            )


def _write(judgments: Iterable[Judgment], out: BinaryIO, _simulated: bool) -> int:
    """Write judgments as lines ``query 0 doc grade``.

    :raises BadArgument: a name contains white space, which the format cannot represent.
    """
    written = 0
    for judgment in judgments:
        written += 1
        check_names(judgment.query, judgment.doc)
        out.write(f"{judgment.query} 0 {judgment.doc} {judgment.rel}\n".encode())
    return written


FORMAT = QrelsFormat(
    name="trec",
    title="TREC qrels: query iter doc grade",
    extensions=(".qrels", ".qrel", ".txt"),
    recognised="four columns, or a header with query and doc",
    fields={"first column": "query", "second column": "skipped", "third column": "doc", "fourth column": "rel, an integer"},
    example="qrels/trec.qrels",
    sniff=_sniff,
    write=_write,
)
