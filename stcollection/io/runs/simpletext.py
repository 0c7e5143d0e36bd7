"""Read SimpleText runs: a JSON array of records with scores since 2023, tab-separated without scores in 2022."""

from __future__ import annotations

import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from stcollection.counts import counted
from stcollection.io.files import ESCAPE, Progress, bad_line, clip, read_text
from stcollection.io.formats import Exported, RunFile, RunFormat, RunHeader
from stcollection.io.jsonfile import Item, parse_items
from stcollection.io.records import Ranked
from stcollection.io.runs.scores import in_order, to_unit
from stcollection.io.runs.trec import LONGEST

COLUMNS_2022 = ("run_id", "manual", "topic_id", "query_id", "doc_id", "passage")
COLUMNS = (*COLUMNS_2022[:5], "rel_score", "comb_score", "passage")
MOST_2022 = 100  # maximum number of distinct documents per topic
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # U+0000 and halves of surrogate pairs: PostgreSQL refuses them
_HINT = "Correct the record. Nothing was stored. 'stc runs check' lists every fault."


@dataclass(frozen=True, kw_only=True)
class Run:
    """A SimpleText run file.

    :param run_id: the run_id of the file; None if absent.
    """

    run_id: str | None
    manual: bool
    rows: list[Ranked]


def is_tsv(head: str) -> bool:
    """Return True if a first line is the header of the format of 2022."""
    return "\t" in head and "doc_id" in head.lower()


def read_items(path: Path) -> Iterator[Item]:
    """Yield all records of a file of either format, with their lines and faults.

    :raises BadInput: the file is not text.
    """
    text = read_text(path)
    return _tsv(text) if is_tsv(text.lstrip().partition("\n")[0]) else parse_items(text)


def raw_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records of a file of either format with their lines; column names are in lower case.

    :raises BadInput: neither format, or a broken record.
    """
    for item in read_items(path):
        if item.broken:
            raise bad_line(path, item.line, item.broken, hint=_HINT)
        if item.record is not None:
            yield item.line, item.record


def _tsv(text: str) -> Iterator[Item]:
    columns: list[str] | None = None
    for line, row in enumerate(io.StringIO(text), 1):
        if not row.strip():
            continue
        cells = [_unquoted(cell.strip()) for cell in row.rstrip("\r\n").split("\t")]
        if columns is None:
            columns = [cell.lower() for cell in cells]
            if twice := [column for column, times in Counter(columns).items() if times > 1]:
                yield Item(line=line, broken=f"the header has {', '.join(twice)} more than once")
        elif len(cells) != len(columns):
            what = (
                f"{counted(len(cells), 'column')}, the header has {len(columns)}: write one line per passage, without"
                " tabs or line breaks"
            )
            yield Item(line=line, broken=what)
        else:
            yield Item(line=line, record=dict(zip(columns, cells, strict=True)))


def _unquoted(cell: str) -> str:
    if len(cell) >= 2 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def name(value: Any) -> str:
    """Return an id as text; '' if the value is not an id."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = str(value).strip()
    return "" if _UNSTORABLE.search(text) or len(text.encode()) > LONGEST else text


def number(value: Any) -> float:
    """Return a score; NaN if the value is not a number."""
    if isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def manual(value: Any) -> bool | None:
    """Return the value of ``manual`` (0 or 1) as a Boolean; None if it is neither."""
    return {"0": False, "0.0": False, "1": True, "1.0": True}.get(str(value))


def unstorable(text: Any) -> bool:
    """Return True if the text has characters that PostgreSQL refuses: U+0000 or half a surrogate pair."""
    return isinstance(text, str) and _UNSTORABLE.search(text) is not None


def read_run(path: Path) -> Run:
    """Read a run of either format.

    The columns of the first record determine the ranking: by ``rel_score``, else by ``rank``, else by the order of the file. In the
    last two cases (the format of 2022), rel_score is 1 / rank, and a document can have several passages. They are joined, one line
    each, at the position of the first. A repeated passage of a document stays a separate row, which is a duplicate.

    :raises BadInput: an invalid record, or a second run_id.
    """
    run_id, first_line, by_hand = None, 0, False
    rows: list[Ranked] = []
    ranked: str | None = None
    position: Counter[str] = Counter()
    places: dict[tuple[str, str], int] = {}  # index of the first row of a document, in the format of 2022
    passages: defaultdict[int, dict[str, None]] = defaultdict(dict)  # passages of such a row, in order

    def bad(line: int, what: str) -> Exception:
        return bad_line(path, line, what, hint=_HINT)

    for line, record in raw_records(path):
        if not rows:
            ranked = next((column for column in ("rel_score", "rank") if column in record), None)
            run_id, first_line = name(record.get("run_id")) or None, line
            by_hand = bool(manual(record.get("manual", 0)))
        if (name(record.get("run_id")) or None) != run_id:
            raise bad(line, f"run_id {clip(record.get('run_id'))}, {clip(run_id)} on line {first_line}; a file contains one run")
        if manual(record.get("manual", 0)) is None:
            raise bad(line, f"manual is {clip(record.get('manual'))}, neither 0 nor 1")
        query, docno = name(record.get("query_id")), name(record.get("doc_id"))
        if query in ("", "0"):
            query = name(record.get("topic_id"))
        if not query or not docno:
            raise bad(line, f"a record without {'doc_id' if query else 'query_id'}, or with an invalid one")
        passage = _passage(record.get("passage"))
        if passage is None and record.get("passage"):
            raise bad(line, f"the passage {clip(record['passage'])} is not text")
        rank = _rank(record.get("rank")) if ranked == "rank" else None
        if ranked == "rank" and rank is None:
            raise bad(line, f"the rank {clip(record.get('rank'))} is not an integer of at least 1")
        place = None if ranked == "rel_score" else places.setdefault((query, docno), len(rows))
        if place is not None and passage is not None and passage not in passages[place]:
            passages[place][passage] = None
            if place < len(rows):
                rows[place] = _better(rows[place], rank)
                continue
        if ranked is None:
            position[query] += 1
            rank = position[query]
        score = 1 / rank if rank else number(record.get(ranked or ""))
        comb = record.get("comb_score")
        comb_score = None if comb in (None, "") else number(comb)
        if not math.isfinite(score) or (comb_score is not None and not math.isfinite(comb_score)):
            which = "comb_score" if math.isfinite(score) else "rel_score"
            raise bad(line, f"{which} {clip(record.get(which))} is not a finite number")
        rows.append(Ranked(line=line, query=query, docno=docno, rank=rank, rel_score=score, comb_score=comb_score, passage=passage))
    for place, several in passages.items():
        if len(several) > 1:
            rows[place] = replace(rows[place], passage="\n".join(several))
    return Run(run_id=run_id, manual=by_hand, rows=rows)


def _better(row: Ranked, rank: int | None) -> Ranked:
    """Return the row with the rank of a further passage of its document, if that rank is better."""
    return row if rank is None or row.rank is None or row.rank <= rank else replace(row, rank=rank, rel_score=1 / rank)


def _rank(value: Any) -> int | None:
    rank = number(value)
    return int(rank) if rank.is_integer() and 1 <= rank < 2**31 else None


def _passage(value: Any) -> str | None:
    """Return a passage; None if it is blank or not text."""
    return str(value) if isinstance(value, str | int | float) and str(value).strip() and not isinstance(value, bool) else None


def copy_rows(path: Path, run: Run, *, score: str = "rel") -> Iterator[bytes]:
    """Yield rows for the temporary table incoming in the text format of COPY: line to passage.

    :param score: ``comb`` ranks by comb_score instead of rel_score if a row has one.
    :raises BadInput: a passage that cannot be stored.
    """
    for row in run.rows:
        ranking = row.rel_score if score == "rel" or row.comb_score is None else row.comb_score
        cells = (
            row.line, row.query.translate(ESCAPE), row.docno.translate(ESCAPE), row.rank, ranking, row.comb_score,
            None if row.passage is None else row.passage.translate(ESCAPE),
        )  # fmt: skip
        text = "\t".join(r"\N" if cell is None else str(cell) for cell in cells) + "\n"
        if _UNSTORABLE.search(text):
            raise bad_line(
                path,
                row.line,
                "the passage contains U+0000 or half a surrogate pair, which PostgreSQL cannot store",
                hint="Remove it from the passage. Nothing was stored.",
                sqlstate="IR303",
            )
        yield text.encode()


def read(path: Path, score: str, _progress: Progress | None) -> RunFile:
    """Read a run of either format; see :func:`read_run`."""
    run = read_run(path)
    return RunFile(run_id=run.run_id, tag=None, manual=run.manual, rows=copy_rows(path, run, score=score))


_NUMERIC = re.compile("0|[1-9][0-9]{0,17}")  # a docno to be written as a JSON number


def _write(rankings: Iterable[list[Ranked]], out: BinaryIO, header: RunHeader) -> Exported:
    """Write a run as a JSON array that passes the official check.

    Scores do not change if all scores of the run are in [0, 1]. Otherwise they are mapped into it query by query, keeping the order
    and creating no new ties.
    """
    queries = ranked = without = 0
    out.write(b"[")
    for rows in rankings:
        rel = _unit(rows, "rel_score", header.rel_in_unit, first=header.score == "rel")
        alone = all(row.comb_score is None for row in rows)
        comb = rel if alone else _unit(rows, "combined", header.comb_in_unit, first=header.score == "comb")
        for row in rows:
            record = {
                "run_id": header.run_id, "manual": int(header.manual), "topic_id": row.topic, "query_id": row.query,
                "doc_id": int(row.docno) if _NUMERIC.fullmatch(row.docno) else row.docno,
                "rel_score": rel[row.docno], "comb_score": comb[row.docno], "passage": row.passage or "",
            }  # fmt: skip
            out.write(b",\n" if ranked else b"\n")
            out.write(orjson.dumps(record))
            ranked, without = ranked + 1, without + (not row.passage)
        queries += 1
    out.write(b"\n]\n")
    return Exported(run=header.name, queries=queries, ranked=ranked, without_passage=without)


def _unit(rows: list[Ranked], attribute: str, keep: bool, *, first: bool) -> dict[str, float]:
    """Return scores in [0, 1] by docno. :param first: True if these scores rank the rows."""
    if not first:
        rows = sorted(rows, key=attrgetter(attribute), reverse=True)
    scores = [getattr(row, attribute) for row in rows]
    docnos = [row.docno for row in rows]
    if first:
        scores = in_order(scores, docnos)
    if not keep or scores[-1] < 0:
        scores = to_unit(scores)
    return dict(zip(docnos, scores, strict=True))


FIELDS = {
    "run_id": "name of the run; TEAM_task1_NAME gives team and tag",
    "manual": "0 or 1",
    "topic_id": "query, if query_id is 0 or missing",
    "query_id": "query",
    "doc_id": "docno, required",
    "passage": "passage",
}
FORMAT = RunFormat(
    name="simpletext",
    title="SimpleText runs since 2023, a JSON array",
    extensions=(".json", ".jsonl"),
    recognised="[ or { at the start",
    fields={**FIELDS, "rel_score": "rel_score; without it rank, or else the order of the file", "comb_score": "comb_score"},
    example="runs/simpletext.json",
    sniff=lambda text: text.lstrip()[:1] in ("[", "{"),
    read=read,
    write=_write,
    passages=True,
)
