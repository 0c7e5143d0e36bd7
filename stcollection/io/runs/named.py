"""Read runs with named columns or fields: CSV, TSV and JSON, as pandas, PyTerrier and ranx write them."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.documents import storable
from stcollection.io.corpus.fields import folded
from stcollection.io.files import ESCAPE, Progress, bad_line, clip
from stcollection.io.formats import RunFile, RunFormat
from stcollection.io.jsonrows import NUMBER, first_fields, head_of, is_nested, json_rows
from stcollection.io.qrels.table import NAMES, read_columns
from stcollection.io.runs.trec import LONGEST, fault
from stcollection.io.tables import header_of, layout_of, read_rows

QUERIES, DOCUMENTS = NAMES["query"], NAMES["doc"]
SCORES = ("score", "rel_score", "similarity", "sim", NUMBER)
RANKS = ("rank", "position")
RUNS = ("run", "run_id", "runid", "tag", "system", "name")
PARTS = {"query": QUERIES, "doc": DOCUMENTS, "score": SCORES, "rank": RANKS, "run": RUNS}  # parts that --columns names
_NEEDED = {"query": "query", "doc": "document", "score": "score or rank"}
_LIKE = {
    "query": re.compile("^q|quer|topic|question|need|claim|prompt"),
    "doc": re.compile("^p?id$|doc|paper|passage|article|corpus|item|abstract|record|publication"),
    "score": re.compile("score|rating|weight|relevance|similarity|probability|value"),
    "rank": re.compile("rank|position|place"),
}
_SAMPLE = 50  # rows to propose columns by
_LARGEST = sys.float_info.max
_HINT = "Correct the row. Nothing was stored."
Row = tuple[int, Sequence[Any]]


class UnknownColumns(BadInput):
    """A table has no columns with the usual names, or with the given ones."""


def read_parts(columns: str) -> dict[str, str]:
    """Parse names of columns of a run by part. :raises BadArgument: they are not such names."""
    return read_columns(columns, PARTS, of="a run", example="query=question,doc=paper,score=rating")


def is_run(names: Collection[str]) -> bool:
    """Return True if columns with these names contain a ranking."""
    return not _missing(_places(list(names), {}))


def are_names(names: Iterable[str]) -> bool:
    """Return True if the first row of a table can be its header: other rows have a number."""
    return all(_number(name) is None for name in names)


def _missing(places: Mapping[str, int]) -> list[str]:
    ranked = "score" in places or "rank" in places
    return [part for part in _NEEDED if part not in places and not (part == "score" and ranked)]


def _places(names: Sequence[str], named: Mapping[str, str]) -> dict[str, int]:
    """Return the place of the column of each part; names are equal regardless of case and separators.

    :param names: in lower case. :param named: names of columns by part, instead of the usual ones.
    """
    alike = list(map(folded, names))
    chosen: dict[str, int] = {}
    for part, choices in [*((part, (name,)) for part, name in named.items()), *PARTS.items()]:
        if part in chosen or (part in named and choices is PARTS[part]):
            continue
        places = [names.index(choice.lower()) for choice in choices if choice.lower() in names]
        places += [alike.index(folded(choice)) for choice in choices if folded(choice) and folded(choice) in alike]
        if (place := next((at for at in places if at not in chosen.values()), None)) is not None:
            chosen[part] = place
    return chosen


def _sniff_table(text: str) -> bool:
    if text.lstrip()[:1] in ("{", "[", "#"):
        return False
    layout, names = header_of(text.lstrip())
    simpletext = "doc_id" in names and "\t" in text and not {"passage", "manual"}.isdisjoint(names)
    # Columns of TREC can be separated by tabs, and its names can contain other delimiters.
    first = text.lstrip().split("\n", 1)[0].encode().split()
    unknown = layout is not None and (layout.delimiter != "\t" or are_names(names)) and fault(first) != ""
    return (is_run(names) or unknown) and not simpletext


def _sniff_json(text: str) -> bool:
    names = first_fields(text)
    simpletext = not {"manual", "passage"}.isdisjoint(names) or ("rel_score" in names and is_run(names))
    return is_nested(text) or (text.lstrip()[:1] in ("{", "[") and bool(names) and not simpletext)


def renamed(head: str, named: Mapping[str, str]) -> RunFormat:
    """Return the format that reads a table by these names of columns. :param head: the first characters of its file."""
    if head.lstrip()[:1] in ("{", "["):
        return replace(JSON, read=partial(_read_json, named=named))
    return replace(CSV, read=partial(_read_table, named=named))


def _read_table(path: Path, score: str, _progress: Progress | None, named: Mapping[str, str] | None = None) -> RunFile:
    layout = layout_of(head_of(path))
    if layout is None:
        hint = "Omit --columns, or add a header." if named else "Add a header with names for query, document and score."
        raise UnknownColumns(f"{path}: not a table with a header", hint=f"{hint} Nothing was stored.")
    rows = read_rows(path, layout)
    line, header = next(rows)
    names = [cell.strip().lower() for cell in header]
    return _run(path, line, names, rows, score, named or {}, "column")


def _read_json(path: Path, score: str, _progress: Progress | None, named: Mapping[str, str] | None = None) -> RunFile:
    records = json_rows(path)
    first = next(records, None)
    if first is None:
        raise BadInput(f"{path}: contains no ranked document", hint="Check that it is the right file.")
    names = list(first[1])
    rows = ((line, [record.get(name) for name in names]) for line, record in chain([first], records))
    return _run(path, first[0], names, rows, score, named or {}, "field")


def _run(path: Path, line: int, names: list[str], rows: Iterator[Row], score: str, named: Mapping[str, str], what: str) -> RunFile:
    """Return a run with named columns.

    :param named: names of columns by part, instead of the usual ones. :param what: ``column`` or ``field``.
    :raises BadInput: the column for query, document, or both score and rank is missing; a column name is repeated.
    """
    if score == "comb":
        raise BadArgument(f"{path} has one score, no comb_score", hint="SimpleText's JSON has both; omit --score.")
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise bad_line(path, line, f"the header has {', '.join(twice)} more than once", hint="Rename the columns.")
    places, listed = _places(names, named), ", ".join(name or "(no name)" for name in names)
    if wrong := [f"{part}={name}" for part, name in named.items() if part not in places]:
        message = f"{path}:{line}: there is no {what} {wrong[0].partition('=')[2]}; the {what}s are {listed}"
        raise UnknownColumns(message, hint=f"Correct --columns {shlex.quote(wrong[0])}. Nothing was stored.")
    if missing := _missing(places):
        lacks = " and the ".join(", the ".join(_NEEDED[part] for part in missing).rsplit(", the ", 1))
        message = f"no {what} for the {lacks} of a run; the {what}s are {listed}"
        proposed = _proposal(names, places, missing, [row for _, row in islice(rows, _SAMPLE) if len(row) == len(names)])
        if not are_names(names):
            hint = "If this line has no names, add a header such as query,doc,score before it."
        elif proposed and named:
            hint = f"Add {proposed} to --columns."
        elif proposed:
            hint = f"Name the right {what}s, for example --columns {shlex.quote(proposed)}."
        else:
            hint = (
                f"Add the {what} that is missing: a run has a query, a document, and a score or rank, which orders the documents."
            )
        raise UnknownColumns(f"{path}:{line}: {message}", hint=f"{hint} Nothing was stored.")
    first = next(rows, None)
    if first is None:
        raise BadInput(f"{path}: contains no ranked document", hint="Check that it is the right file.")
    run_at = places.get("run")
    tag = str(first[1][run_at]).strip() if run_at is not None and len(first[1]) == len(names) and first[1][run_at] else None
    return RunFile(run_id=None, tag=tag, manual=None, rows=_copied(path, names, places, chain([first], rows), tag))


def _proposal(names: Sequence[str], places: Mapping[str, int], missing: Sequence[str], sample: Sequence[Sequence[Any]]) -> str:
    """Return the columns to name for the missing parts: likely names first, then their order; '' if some have none."""
    left = [at for at, name in enumerate(names) if name and at not in places.values() and not re.search("[,=]|^unnamed", name)]
    proposed: dict[str, int] = {}

    def like(part: str, at: int) -> bool:
        return _LIKE[part].search(folded(names[at])) is not None

    for part in sorted(missing, key=lambda lacking: lacking != "score"):
        if part == "score":
            numbers = [at for at in left if sample and all(_number(row[at]) is not None for row in sample)]
            others = [at for at in numbers if not like("query", at) and not like("doc", at)]
            chosen = [at for at in others if like("score", at)] or others[-1:]
            part = "rank" if chosen and like("rank", chosen[0]) else part
        else:
            other = "doc" if part == "query" else "query"
            chosen = (
                [at for at in left if like(part, at) and not like(other, at)] or [at for at in left if not like(other, at)] or left
            )
        if not chosen:
            return ""
        proposed[part] = chosen[0]
        left.remove(chosen[0])
    order = [part for part in PARTS if part in proposed]
    return ",".join(f"{part}={names[proposed[part]]}" for part in order)


def _copied(path: Path, names: list[str], places: Mapping[str, int], rows: Iterable[Row], tag: str | None) -> Iterator[bytes]:
    """Yield rows for the temporary table incoming: line, query, docno, rank, score.

    :raises BadInput: an invalid row.
    """
    query_at, doc_at = places["query"], places["doc"]
    score_at, rank_at, run_at = (places.get(part) for part in ("score", "rank", "run"))
    lines: list[str] = []
    for line, row in rows:
        if len(row) != len(names):
            raise bad_line(path, line, f"{counted(len(row), 'column')}, the header has {len(names)}", hint=_HINT)
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
    return "" if len(text.encode()) > LONGEST else text.translate(ESCAPE)


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
