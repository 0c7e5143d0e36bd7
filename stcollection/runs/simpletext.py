"""SimpleText's formats of runs: since 2023 a JSON array of records with scores, in 2022 tab-separated with a header and without."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stcollection.topics.files import bad_line, clip, read_text
from stcollection.topics.records import records

COLUMNS_2022 = ("run_id", "manual", "topic_id", "query_id", "doc_id", "passage")
COLUMNS = (*COLUMNS_2022[:5], "rel_score", "comb_score", "passage")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # U+0000 and halves of surrogate pairs: PostgreSQL refuses them
_ESCAPE = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True, kw_only=True)
class Row:
    """:param query: its query_id, or its topic_id where that is 0 or missing (2022: retrieved for the topic as such).
    :param rank: of the file; None where it has scores.
    """

    line: int
    query: str
    docno: str
    rank: int | None
    rel_score: float
    comb_score: float | None
    passage: str | None


@dataclass(frozen=True, kw_only=True)
class Run:
    """:param run_id: the file's; None where it has none."""

    run_id: str | None
    manual: bool
    rows: list[Row]


def is_tsv(head: str) -> bool:
    """Whether a first line is the header of 2022's format."""
    return "\t" in head and "doc_id" in head.lower()


def raw_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a file of either format, each with its line; the names of the columns are in lower case.

    :raises BadInput: what is neither.
    """
    text = read_text(path)
    return _tsv(path, text) if is_tsv(text.lstrip().partition("\n")[0]) else records(path, text)


def _tsv(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    columns: list[str] | None = None
    for line, row in enumerate(io.StringIO(text), 1):
        if not row.strip():
            continue
        cells = [_unquoted(cell.strip()) for cell in row.rstrip("\r\n").split("\t")]
        if columns is None:
            columns = [cell.lower() for cell in cells]
        elif len(cells) != len(columns):
            raise bad_line(
                path,
                line,
                f"{len(cells)} columns, the header has {len(columns)}",
                hint="One line a passage, no tab or line break in it.",
            )
        else:
            yield line, dict(zip(columns, cells, strict=True))


def _unquoted(cell: str) -> str:
    if len(cell) >= 2 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def name(value: Any) -> str:
    """An id as text; '' where the value cannot be one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = str(value).strip()
    return "" if _UNSTORABLE.search(text) else text


def number(value: Any) -> float:
    """A score; NaN where the value is none."""
    if isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def manual(value: Any) -> bool | None:
    """0 or 1; None where the value is neither."""
    return {"0": False, "0.0": False, "1": True, "1.0": True}.get(str(value))


def read_run(path: Path) -> Run:
    """A run of either format.

    The first record tells what ranks the documents: ``rel_score``; without it ``rank``, without that too the order of the file. In
    these two cases rel_score is 1 / rank.

    :raises BadInput: the first record that cannot be read, or a second run_id.
    """
    run_id, first_line, by_hand = None, 0, False
    rows: list[Row] = []
    ranked: str | None = None
    position: Counter[str] = Counter()

    def bad(line: int, what: str) -> Exception:
        return bad_line(path, line, what, hint="Correct the record; nothing was stored. 'stc runs check' lists every fault.")

    for line, record in raw_records(path):
        if not rows:
            ranked = next((column for column in ("rel_score", "rank") if column in record), None)
            run_id, first_line = name(record.get("run_id")) or None, line
            by_hand = bool(manual(record.get("manual", 0)))
        if (name(record.get("run_id")) or None) != run_id:
            raise bad(line, f"run_id {clip(record.get('run_id'))}, line {first_line} has {clip(run_id)}; a file holds one run")
        if manual(record.get("manual", 0)) is None:
            raise bad(line, f"manual is {clip(record.get('manual'))}, neither 0 nor 1")
        query, docno = name(record.get("query_id")), name(record.get("doc_id"))
        if query in ("", "0"):
            query = name(record.get("topic_id"))
        if not query or not docno:
            raise bad(line, f"a record without {'doc_id' if query else 'query_id'}, or with one that is no name")
        position[query] += 1
        rank = position[query] if ranked is None else None
        score = number(record.get(ranked)) if ranked else 0.0
        if ranked == "rank":
            rank = int(score) if math.isfinite(score) else 0
            if rank != score or not 1 <= rank < 2**31:
                raise bad(line, f"the rank {clip(record.get('rank'))} is no whole number from 1")
        comb = record.get("comb_score")
        comb_score = None if comb in (None, "") else number(comb)
        rel_score = 1 / rank if rank else score
        if not math.isfinite(rel_score) or (comb_score is not None and not math.isfinite(comb_score)):
            which = "comb_score" if math.isfinite(rel_score) else "rel_score"
            raise bad(line, f"{which} {clip(record.get(which))} is no finite number")
        rows.append(
            Row(line=line, query=query, docno=docno, rank=rank, rel_score=rel_score, comb_score=comb_score,
                passage=str(record["passage"]) if record.get("passage") else None)
        )  # fmt: skip
    return Run(run_id=run_id, manual=by_hand, rows=rows)


def copy_rows(path: Path, run: Run) -> Iterator[bytes]:
    """The rows of the temporary table incoming, as COPY takes them in text: line to passage.

    :raises BadInput: a passage that cannot be stored.
    """
    for row in run.rows:
        cells = (
            row.line, row.query.translate(_ESCAPE), row.docno.translate(_ESCAPE), row.rank, row.rel_score, row.comb_score,
            None if row.passage is None else row.passage.translate(_ESCAPE),
        )  # fmt: skip
        text = "\t".join(r"\N" if cell is None else str(cell) for cell in cells) + "\n"
        if _UNSTORABLE.search(text):
            raise bad_line(
                path, row.line, "the passage holds U+0000 or half a surrogate pair, which PostgreSQL cannot store",
                hint="Remove it from the passage; nothing was stored.", sqlstate="IR303",
            )  # fmt: skip
        yield text.encode()
