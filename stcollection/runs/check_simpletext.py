"""Find the faults of a SimpleText submission: JSON since 2023, tab-separated in 2022."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stcollection.counts import counted
from stcollection.io.files import clip
from stcollection.io.runs.simpletext import COLUMNS, COLUMNS_2022, MOST_2022, manual, name, number, read_items, unstorable
from stcollection.runs.faults import DUPLICATE, CheckedRun, notes_on_order
from stcollection.runs.names import task_of, valid_run_id


def read(path: Path, checked: CheckedRun, *, task: int | None) -> None:
    """Check a SimpleText run, record by record.

    :raises BadInput: the file is not text.
    """
    reader = _Submission(checked, task)
    for item in read_items(path):
        for what in item.odd:
            checked.add(item.line, what)
        if item.broken:
            checked.add(item.line, item.broken)
        if item.record is not None:
            reader.take(item.line, item.record)
    reader.finish()


class _Submission:
    """The records checked so far."""

    def __init__(self, checked: CheckedRun, task: int | None) -> None:
        self.checked, self.task = checked, task
        self.columns: tuple[str, ...] = ()
        self.first: dict[str, Any] = {}
        self.documents: dict[str, set[str]] = {}  # by topic
        self.passages: dict[tuple[str, str, str], int] = {}
        self.types: Counter[str] = Counter()
        self.texts: dict[str, tuple[int, int]] = {}  # column of numbers -> first line and count of values that are text
        self.ranking: dict[str, list[tuple[int, float, str]]] = {}

    def take(self, line: int, record: dict[str, Any]) -> None:
        checked = self.checked
        checked.rows += 1
        if checked.rows == 1:
            self.columns = COLUMNS if "rel_score" in record or "comb_score" in record else COLUMNS_2022
            checked.layout = "simpletext" if self.columns is COLUMNS else "simpletext-2022"
            checked.run_id = name(record.get("run_id")) or None
            self.first = record
        for what in _record_faults(record, self.columns, self.task):
            checked.add(line, what)
        if isinstance(record.get("passage"), str) and not record["passage"].strip():
            checked.add(line, "an empty passage", note=True)
        for column in ("run_id", "manual"):
            given, first = record.get(column), self.first.get(column)
            if column == "manual" and None in (manual(given), manual(first)):
                continue  # _record_faults reports it
            if (manual(given) != manual(first)) if column == "manual" else given != first:
                checked.add(line, f"{column} is {clip(given)}, but {clip(first)} in the first record: a file contains one run")
        self._types(line, record)
        topic, query, docno = (name(record.get(column)) for column in ("topic_id", "query_id", "doc_id"))
        query = topic if query in ("", "0") else query
        if query and docno:
            self._row(line, topic, query, docno, record)

    def _types(self, line: int, record: dict[str, Any]) -> None:
        if self.columns is COLUMNS_2022:
            return
        self.types["text" if isinstance(record.get("doc_id"), str) else "number"] += 1
        for column in ("manual", "rel_score", "comb_score"):
            if isinstance(record.get(column), str):
                first, times = self.texts.get(column, (line, 0))
                self.texts[column] = (first, times + 1)

    def _row(self, line: int, topic: str, query: str, docno: str, record: dict[str, Any]) -> None:
        checked = self.checked
        if topic:
            checked.topics.setdefault(query, (topic, line))
        passage = record.get("passage")
        if checked.passages is not None and isinstance(passage, str) and passage.strip():
            checked.passages.append((line, docno, passage))
        if self.columns is COLUMNS:
            checked.pair(line, query, docno)
            score = number(record.get("rel_score"))
            if math.isfinite(score):
                self.ranking.setdefault(query, []).append((line, score, docno))
            return
        checked.pairs.setdefault((query, docno), line)
        first = self.passages.setdefault((query, docno, passage if isinstance(passage, str) else ""), line)
        if first != line:
            checked.add(line, f"query {query} has this passage of document {docno} already, on line {first}", kind=DUPLICATE)
        before = self.documents.setdefault(topic, set())
        if docno not in before and len(before) == MOST_2022:
            checked.add(line, f"topic {topic} has more than {MOST_2022} documents")
        before.add(docno)

    def finish(self) -> None:
        checked = self.checked
        if len(self.types) > 1:
            what = f"doc_id is a number in {counted(self.types['number'], 'record')} and text in {self.types['text']:,}"
            checked.add(0, what, note=True)
        for column, (line, times) in self.texts.items():
            checked.add(line, f"{column} is text, not a number, here and in {counted(times - 1, 'more record')}", note=True)
        notes_on_order(checked, self.ranking, given="the records are")


def _record_faults(record: dict[str, Any], columns: tuple[str, ...], task: int | None) -> Iterator[str]:
    missing = [column for column in columns if column not in record]
    if missing:
        yield f"missing: {', '.join(missing)}"
    run_id = record.get("run_id")
    if "run_id" in record and not (isinstance(run_id, str) and valid_run_id(run_id)):
        yield f"run_id {clip(run_id)} is not TEAM_task1_NAME"
    elif isinstance(run_id, str) and task is not None and task_of(run_id) != task:
        yield f"run_id {clip(run_id)} is for task {task_of(run_id)}, not {task}"
    if "manual" in record and manual(record["manual"]) is None:
        yield f"manual is {clip(record['manual'])}, neither 0 nor 1"
    for column in ("topic_id", "doc_id", "query_id"):
        if column in record and not name(record[column]):
            yield f"{column} {clip(record[column])} is not a name"
    topic, query = name(record.get("topic_id")), name(record.get("query_id"))
    if topic and "." in query and query.rpartition(".")[0] != topic:
        yield f"query {query} does not belong to topic {topic}"
    for column in ("rel_score", "comb_score"):
        if column in columns and column in record:
            score = number(record[column])
            if not math.isfinite(score):
                yield f"{column} {clip(record[column])} is not a finite number"
            elif column == "rel_score" and not 0 <= score <= 1:
                yield f"rel_score {score!r} is not in [0, 1]"
    if "passage" in record and not isinstance(record["passage"], str):
        yield f"the passage {clip(record['passage'])} is not text"
    elif unstorable(record.get("passage", "")):
        yield "the passage contains U+0000 or half a surrogate pair"
