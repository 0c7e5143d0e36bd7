"""Every fault of a run file, by line: SimpleText's official check, trec_eval's own refusals, and what else spoils a submission."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from stcollection.errors import translate
from stcollection.runs import trec
from stcollection.runs.load import recognise
from stcollection.runs.names import valid_run_id
from stcollection.runs.scores import single
from stcollection.runs.simpletext import COLUMNS, COLUMNS_2022, manual, name, number, raw_records
from stcollection.topics.files import blocks, clip

_MOST_2022 = 100  # distinct documents a topic


@dataclass(frozen=True, order=True)
class Fault:
    """:param line: from 1; 0 is the file as a whole. :param note: worth knowing, but no reason to refuse the file."""

    line: int
    what: str
    note: bool = False


@dataclass
class Checked:
    """:param layout: ``trec`` or ``simpletext``. :param rows: records or lines that hold a ranked document."""

    layout: str
    rows: int = 0
    faults: list[Fault] = field(default_factory=list)
    # (query, docno) -> line of its first row
    pairs: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, line: int, what: str, *, note: bool = False) -> None:
        self.faults.append(Fault(line, what, note))

    def pair(self, line: int, query: str, docno: str) -> None:
        first = self.pairs.setdefault((query, docno), line)
        if first != line:
            self.add(line, f"query {query} has document {docno} already, on line {first}")


def check_run(path: Path, *, layout: str | None = None, conn: psycopg.Connection | None = None) -> Checked:
    """Read a run to its end and tell all that is wrong with it, by line.

    SimpleText: the official check (columns, whatever their case; a run_id that splits in two at ``_task1_``; manual 0 or 1), one
    run_id a file, finite scores, rel_score in [0, 1], queries of their topics, no document twice; in 2022's format at most
    100 documents a topic, and a document may have several passages. Notes on empty passages.

    TREC: six columns, finite scores, no document twice; notes on ties, on ranks that contradict scores, and on several tags.

    :param conn: a collection in which the queries and documents must be.
    :raises BadInput: a file that cannot be read to its end as what it is.
    """
    checked = Checked(layout or recognise(path))
    if checked.layout == "trec":
        _trec(path, checked)
    else:
        _simpletext(path, checked)
    if not checked.rows:
        checked.add(0, "no ranked document in it")
    if conn is not None:
        _collection(conn, checked)
    checked.faults.sort()
    return checked


def _simpletext(path: Path, checked: Checked) -> None:
    columns: tuple[str, ...] = ()
    run_id: Any = None
    documents: dict[str, set[str]] = {}
    for line, record in raw_records(path):
        checked.rows += 1
        if checked.rows == 1:
            columns = COLUMNS if "rel_score" in record or "comb_score" in record else COLUMNS_2022
            run_id = record.get("run_id")
        for what in _record_faults(record, columns):
            checked.add(line, what)
        if record.get("passage") == "":
            checked.add(line, "an empty passage", note=True)
        if record.get("run_id") != run_id:
            checked.add(line, f"run_id {clip(record.get('run_id'))}, the file began with {clip(run_id)}: a file holds one run")
        topic, query, docno = (name(record.get(column)) for column in ("topic_id", "query_id", "doc_id"))
        query = topic if query in ("", "0") else query
        if not query or not docno:
            continue
        if columns is COLUMNS:
            checked.pair(line, query, docno)
        else:
            checked.pairs.setdefault((query, docno), line)
            before = documents.setdefault(topic, set())
            if docno not in before and len(before) == _MOST_2022:
                checked.add(line, f"topic {topic} has more than {_MOST_2022} documents")
            before.add(docno)


def _record_faults(record: dict[str, Any], columns: tuple[str, ...]) -> Iterator[str]:
    missing = [column for column in columns if column not in record]
    if missing:
        yield f"no {', '.join(missing)}"
    if "run_id" in record and not (isinstance(record["run_id"], str) and valid_run_id(record["run_id"])):
        yield f"run_id {clip(record['run_id'])} is not TEAM_task1_NAME"
    if "manual" in record and manual(record["manual"]) is None:
        yield f"manual is {clip(record['manual'])}, neither 0 nor 1"
    for column in ("topic_id", "doc_id", "query_id"):
        if column in record and not name(record[column]):
            yield f"{column} {clip(record[column])} is no name"
    topic, query = name(record.get("topic_id")), name(record.get("query_id"))
    if topic and "." in query and query.rpartition(".")[0] != topic:
        yield f"query {query} is not of topic {topic}"
    for column in ("rel_score", "comb_score"):
        if column in columns and column in record:
            score = number(record[column])
            if not math.isfinite(score):
                yield f"{column} {clip(record[column])} is no finite number"
            elif column == "rel_score" and not 0 <= score <= 1:
                yield f"rel_score {score!r} is not in [0, 1]"
    if "passage" in record and not isinstance(record["passage"], str):
        yield f"the passage {clip(record['passage'])} is no text"


def _trec(path: Path, checked: Checked) -> None:
    tags: Counter[str] = Counter()
    ranking: dict[str, list[tuple[int, float, str]]] = {}
    for first, block in blocks(path):
        for line, text in enumerate(block.split(b"\n"), first):
            fields = text.split()
            what = trec.fault(fields)
            if what:
                if fields and not fields[0].startswith(b"#"):
                    checked.add(line, what)
                continue
            query, docno, tag = (fields[column].decode() for column in (0, 2, 5))
            checked.rows += 1
            checked.pair(line, query, docno)
            tags[tag] += 1
            rank = int(fields[3]) if fields[3].isdigit() else 0
            ranking.setdefault(query, []).append((rank, float(fields[4]), docno))
    if len(tags) > 1:
        checked.add(0, f"{len(tags)} tags: {', '.join(sorted(tags)[:5])}; trec_eval reads them as one run", note=True)
    _notes_on_order(checked, ranking)


def _notes_on_order(checked: Checked, ranking: dict[str, list[tuple[int, float, str]]]) -> None:
    """What trec_eval sees and the writer of the file may not."""
    tied = disordered = 0
    for rows in ranking.values():
        scores = single([score for _, score, _ in sorted(rows, key=lambda row: row[0])])
        disordered += bool((np.diff(scores) > 0).any())
        tied += len(scores) - len(np.unique(scores))
    if disordered:
        checked.add(
            0, f"in {disordered} queries the ranks are not in the order of the scores; trec_eval goes by the scores", note=True
        )
    if tied:
        checked.add(
            0, f"{tied} scores equal another of their query in single precision; trec_eval orders them by document", note=True
        )


@translate()
def _collection(conn: psycopg.Connection, checked: Checked) -> None:
    """Queries and documents that the collection has not, each by its first line."""
    for column, what, known in (
        (0, "query", "SELECT query FROM st1_queries WHERE query = ANY (%s) AND text IS NOT NULL"),
        (1, "document", "SELECT docno FROM dblp WHERE docno = ANY (%s) AND NOT stub"),
    ):
        lines: dict[str, int] = {}
        for pair, line in checked.pairs.items():
            lines[pair[column]] = min(line, lines.get(pair[column], line))
        stored = {one for (one,) in conn.execute(known, [list(lines)])}
        for one in lines.keys() - stored:
            checked.add(lines[one], f"{what} {one} is not in the collection")
