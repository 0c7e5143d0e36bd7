"""Store the origin of queries: people or a generator, with its model and source document."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Annotated, NamedTuple

import psycopg

from stcollection.declared import Option
from stcollection.errors import BadInput, translate
from stcollection.io.files import bad_line, clip, read_text

COLUMNS = ("query", "origin", "model", "source")
_SAME = {"qid": "query", "query_id": "query", "topic": "query", "source_docno": "source", "docno": "source", "doc": "source"}
_DL23 = ("qid", "Synthetic", "isGPT4")  # columns of the query table of TREC 2023 Deep Learning
_OF_FLAGS = {("0", "0"): "human", ("1", "0"): "t5", ("1", "1"): "gpt-4"}
_HINT = "Write query, origin and optionally model and source (a docno), separated by tabs or commas. Nothing was stored."


class QueryOrigin(NamedTuple):
    """The origin of one query, read from a file.

    :param line: line of the file, from 1. :param model, source: None if unknown; the source is the docno of the source document.
    """

    line: int
    query: str
    origin: str
    model: str | None = None
    source: str | None = None


class OriginCounts(NamedTuple):
    """The counts of a file of origins.

    :param queries: queries in the file. :param changed: queries whose stored origin changed. :param origins: queries per origin.
    """

    queries: int
    changed: int
    origins: dict[str, int]


def read_origins(path: Path) -> list[QueryOrigin]:
    """Read a table of origins, plain or compressed, separated by tabs or commas.

    With a header, columns may be in any order and unknown columns are ignored; without a header, they are COLUMNS from the left.
    The table of TREC 2023 Deep Learning (qid, Synthetic, isGPT4) is detected by its header; its origins are human, t5 and gpt-4.

    :raises BadInput: an invalid line, or a file without queries.
    """
    text = read_text(path)
    head = text.lstrip().partition("\n")[0]
    lines = StringIO(text, newline="")
    rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if "\t" in head else csv.reader(lines, strict=True)
    origins = list(_origins(path, _cells(path, rows)))
    if not origins:
        raise BadInput(f"{path}: contains no query", hint=_HINT)
    return origins


@translate()
def set_origins(conn: psycopg.Connection, path: Annotated[Path, Option("FILE")]) -> OriginCounts:
    """Set the origins of the queries of a file, all or none (sql/topics/set_origins.sql); other queries do not change.

    :raises BadInput: an invalid line, or one that contradicts an earlier line.
    :raises UnknownObject: a query or source document is not stored. :raises BadArgument: an invalid name of an origin.
    """
    records = read_origins(path)
    columns = [[record[at] for record in records] for at in range(1, 5)]
    queries, changed = conn.execute(
        "SELECT queries, changed FROM stc.set_origins(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[])",
        [*columns, [f"{path}:{record.line}" for record in records]],
    ).fetchone() or (0, 0)
    origins = {record.query: record.origin for record in records}
    counts = {name: list(origins.values()).count(name) for name in sorted(set(origins.values()))}
    return OriginCounts(queries, changed, counts)


def _cells(path: Path, rows: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, stripped, with their lines."""
    line = 1
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise bad_line(path, line, f"invalid line ({error})", hint=_HINT) from error
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield line, [cell.strip() for cell in row]
        line = rows.line_num + 1  # type: ignore[attr-defined]


def _origins(path: Path, rows: Iterator[tuple[int, list[str]]]) -> Iterator[QueryOrigin]:
    names: list[str] | None = None
    flags = False
    for line, row in rows:
        if names is None:
            flags = all(name in row for name in _DL23)
            lower = [_SAME.get(cell.lower(), cell.lower()) for cell in row]
            if flags or ("query" in lower and "origin" in lower):
                names = row if flags else lower
                continue
            names = list(COLUMNS)
        if not 2 <= len(row) <= max(len(names), len(COLUMNS)) or (flags and len(row) < len(names)):
            what = f"{len(row)} {'column' if len(row) == 1 else 'columns'}: {clip(' '.join(row))}"
            raise bad_line(path, line, what, hint=_HINT)
        cells = dict(zip(names, row, strict=False))
        if flags:
            cells = _of_flags(path, line, cells)
        query = cells.get("query", "")
        if not query:
            raise bad_line(path, line, "no query", hint=_HINT)
        yield QueryOrigin(line, query, cells.get("origin", ""), cells.get("model") or None, cells.get("source") or None)


def _of_flags(path: Path, line: int, cells: dict[str, str]) -> dict[str, str]:
    qid, *values = (cells[name] for name in _DL23)
    origin = _OF_FLAGS.get((values[0], values[1]))
    if origin is None:
        what = f"Synthetic is {clip(values[0])}, isGPT4 is {clip(values[1])}"
        raise bad_line(path, line, what, hint="Use 0 0 for human, 1 0 for t5, 1 1 for gpt-4. Nothing was stored.")
    return {"query": qid, "origin": origin}
