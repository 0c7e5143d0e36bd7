"""Read runs with named columns or fields: CSV, TSV and JSON, as pandas, PyTerrier and ranx write them."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.documents import storable
from stcollection.io.files import Progress, bad_line, clip
from stcollection.io.formats import RunFile, RunFormat
from stcollection.io.jsonrows import NUMBER, first_fields, head_of, is_nested, json_rows
from stcollection.io.qrels.table import NAMES
from stcollection.io.runs.trec import LONGEST
from stcollection.io.tables import header_of, layout_of, read_rows

QUERIES, DOCUMENTS = NAMES["query"], NAMES["doc"]
SCORES = ("score", "rel_score", "similarity", "sim", NUMBER)
RANKS = ("rank", "position")
RUNS = ("run", "run_id", "runid", "tag", "system", "name")
_LARGEST = sys.float_info.max
_HINT = "Correct the row. Nothing was stored."
_ESCAPE = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
Row = tuple[int, Sequence[Any]]


def is_run(names: Collection[str]) -> bool:
    """Return True if columns with these names (in lower case) contain a ranking."""
    ranked = not {*SCORES, *RANKS}.isdisjoint(names)
    return ranked and not set(QUERIES).isdisjoint(names) and not set(DOCUMENTS).isdisjoint(names)


def _sniff_table(text: str) -> bool:
    if text.lstrip()[:1] in ("{", "[", "#"):
        return False
    names = header_of(text.lstrip())[1]
    simpletext = "doc_id" in names and "\t" in text and not {"passage", "manual"}.isdisjoint(names)
    return is_run(names) and not simpletext


def _sniff_json(text: str) -> bool:
    names = first_fields(text)
    simpletext = not {"rel_score", "manual", "passage"}.isdisjoint(names)
    return is_nested(text) or (text.lstrip()[:1] in ("{", "[") and is_run(names) and not simpletext)


def _read_table(path: Path, score: str, _progress: Progress | None) -> RunFile:
    layout = layout_of(head_of(path))
    if layout is None:
        raise BadInput(f"{path}: not a table with a header", hint="Add a header with names for query, document and score.")
    rows = read_rows(path, layout)
    line, header = next(rows)
    names = [cell.strip().lower() for cell in header]
    return _run(path, line, names, rows, score)


def _read_json(path: Path, score: str, _progress: Progress | None) -> RunFile:
    found = json_rows(path)
    first = next(found, None)
    if first is None:
        raise BadInput(f"{path}: contains no ranked document", hint="Check that it is the right file.", sqlstate="IR301")
    names = list(first[1])
    return _run(path, first[0], names, ((line, [one.get(name) for name in names]) for line, one in chain([first], found)), score)


def _run(path: Path, line: int, names: list[str], rows: Iterator[Row], score: str) -> RunFile:
    """Return a run with named columns.

    :raises BadInput: the column for query, document, or both score and rank is missing; a column name is repeated.
    """
    if score == "comb":
        raise BadArgument(f"{path} has one score, no comb_score", hint="SimpleText's JSON has both; omit --score.")
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise bad_line(path, line, f"the header has {', '.join(twice)} more than once", hint="Rename the columns.")
    if not is_run(names):
        hint = f"It needs a query ({', '.join(QUERIES[:3])}), a document ({', '.join(DOCUMENTS[:4])}) and a score or rank."
        raise bad_line(path, line, f"not the columns of a run: {', '.join(names)}", hint=hint)
    first = next(rows, None)
    if first is None:
        raise BadInput(f"{path}: contains no ranked document", hint="Check that it is the right file.", sqlstate="IR301")
    run_at = _place(names, RUNS)
    tag = str(first[1][run_at]).strip() if run_at is not None and len(first[1]) == len(names) and first[1][run_at] else None
    return RunFile(run_id=None, tag=tag, manual=None, rows=_copied(path, names, chain([first], rows), tag))


def _place(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _copied(path: Path, names: list[str], rows: Iterable[Row], tag: str | None) -> Iterator[bytes]:
    """Yield rows for the temporary table incoming: line, query, docno, rank, score.

    :raises BadInput: an invalid row.
    """
    query_at, doc_at = (_place(names, some) or 0 for some in (QUERIES, DOCUMENTS))
    score_at, rank_at, run_at = (_place(names, some) for some in (SCORES, RANKS, RUNS))
    lines: list[str] = []
    for line, row in rows:
        if len(row) != len(names):
            raise bad_line(path, line, f"{len(row)} columns, the header has {len(names)}", hint=_HINT)
        query, docno = _name(row[query_at]), _name(row[doc_at])
        rank = None if rank_at is None else _rank(row[rank_at])
        value = row[score_at] if score_at is not None else None if rank is None else 1 / (1 + rank)  # PyTerrier counts from 0
        number = _number(value)
        if not query or not docno or number is None:
            what = "no query" if not query else "no document" if not docno else f"the score {clip(value)} is not a finite number"
            raise bad_line(path, line, what, hint=_HINT)
        if run_at is not None and tag is not None and str(row[run_at]).strip() != tag:
            what = f"run {clip(row[run_at])}, but {clip(tag)} in the first row; a file contains one run"
            raise bad_line(path, line, what, hint=_HINT)
        file_rank = r"\N" if rank is None else rank
        lines.append(f"{line}\t{query}\t{docno}\t{file_rank}\t{number!r}\t\\N\t\\N\n")
        if len(lines) == 10_000:
            yield "".join(lines).encode()
            lines.clear()
    yield "".join(lines).encode()


def _name(value: Any) -> str:
    """Return an id in the format of COPY; '' if the value is not an id."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = storable(str(value)).strip()
    return "" if len(text.encode()) > LONGEST else text.translate(_ESCAPE)


def _rank(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number.is_integer() and 0 <= number < 10**9 else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None or (isinstance(value, str) and "_" in value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if -_LARGEST <= number <= _LARGEST else None


_FIELDS = {
    " or ".join(QUERIES[:5]): "query, required",
    " or ".join(DOCUMENTS[:5]): "docno, required",
    " or ".join(SCORES[:3]): "rel_score; without it 1 / (1 + rank)",
    "rank": "kept as file_rank; ranks are computed from the scores",
    " or ".join(RUNS[:4]): "tag",
}
CSV = RunFormat(
    name="csv",
    title="CSV or TSV with a header, such as data frames of PyTerrier",
    extensions=(".csv", ".tsv"),
    recognised="a header with query, doc and score or rank",
    fields=_FIELDS,
    example="runs/run.csv",
    sniff=_sniff_table,
    read=_read_table,
)
JSON = RunFormat(
    name="json",
    title="JSON: scores by query and document (ranx), or JSON lines",
    extensions=(".json", ".jsonl"),
    recognised="objects of numbers, or objects with query, doc and score",
    fields={**_FIELDS, '{"q1": {"d1": 12.5}}': "the same, in the form of ranx and pytrec_eval"},
    example="runs/ranx.json",
    sniff=_sniff_json,
    read=_read_json,
)
