"""Read SimpleText's topics and queries: a table with a header, or JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice
from pathlib import Path

from stcollection.io.files import bad_line, clip
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord
from stcollection.io.topics.records import records

_HEAD = 100_000  # characters used to detect JSON


def _query(path: Path, line: int, record: dict[str, str | None]) -> QueryRecord:
    """Return the query of a SimpleText record, given by column names."""
    query, text = record.get("query_id"), record.get("query_text")
    if not query or not text:
        missing = "text" if query else "query_id"
        raise bad_line(
            path, line, f"a query without {missing}", hint="Give each query query_id and query_text. Nothing was stored."
        )
    return QueryRecord(
        line=line,
        query=query,
        text=text,
        topic=record.get("topic_id") or None,
        topic_text=record.get("topic_text") or None,
        url=record.get("topic_url") or None,
        abstract_url=record.get("abstract_url") or None,
        topic_title=record.get("topic_title") or None,
        article=record.get("topic_article") or None,
        source=record.get("topic_source") or None,
        published=read_date(path, line, record.get("topic_date")),
    )


def read_date(path: Path, line: int, value: str | None) -> date | None:
    """Return a date of a record; None if it is empty.

    :raises BadInput: not a date in ISO 8601.
    """
    if not value:
        return None
    try:
        return datetime.fromisoformat(value).date()
    except ValueError:
        raise bad_line(path, line, f"{clip(value)} is not a date", hint="Write dates as 2019-05-22. Nothing was stored.") from None


def _read_json(path: Path, text: str, _options: QueryOptions) -> Iterator[QueryRecord]:
    for line, record in records(path, text):
        for name, value in record.items():
            if value is not None and not isinstance(value, str | int):
                raise bad_line(path, line, f"{name} is not text: {clip(value)}", hint="Correct the record. Nothing was stored.")
        yield _query(path, line, {name: None if value is None else str(value).strip() for name, value in record.items()})


def _delimiter(head: str) -> str | None:
    return next((one for one in ";\t," if one in head), None)


def _read_csv(path: Path, text: str, _options: QueryOptions) -> Iterator[QueryRecord]:
    lines = list(io.StringIO(text, newline=""))
    skipped = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    head = lines[skipped] if skipped < len(lines) else ""
    delimiter = _delimiter(head) or ";"
    columns = [name.strip().strip('"').lower() for name in head.split(delimiter)]
    for name in ("query_id", "query_text"):
        if name not in columns:
            raise bad_line(
                path,
                skipped + 1,
                f"the header has no column {name}: {clip(head.strip())}",
                hint="Use the header topic_id;topic_text;topic_url;query_id;query_text.",
            )
    at = skipped + 1
    while at < len(lines):
        values, used = _cells(lines, at, delimiter, len(columns))
        if len(values) != len(columns):
            raise bad_line(
                path,
                at + 1,
                f"{len(values)} columns, the header has {len(columns)}: {clip(lines[at].strip())}",
                hint=f'Put text that contains {delimiter!r} in double quotes: "one{delimiter} two".',
            )
        if any(value.strip() for value in values):
            yield _query(path, at + 1, dict(zip(columns, (value.strip() for value in values), strict=True)))
        at += used


def _cells(lines: list[str], at: int, delimiter: str, width: int) -> tuple[list[str], int]:
    """Return the cells of the record that begins at a line, and its number of lines.

    Real files contain quotes that are part of a query (``"smart speaker" privacy``). A CSV reader raises an error for them, removes
    the quotes, or reads on to the next quote. A record that CSV does not read with the right number of cells is split by delimiter.
    """
    raw = lines[at].rstrip("\r\n").split(delimiter)
    if not lines[at].strip():
        return [""] * width, 1
    reader = csv.reader(islice(lines, at, None), delimiter=delimiter, strict=True)
    try:
        values = next(reader)
    except csv.Error:
        return raw, 1
    if len(values) != width and len(raw) == width:
        return raw, 1
    return values, reader.line_num


def _is_json(text: str) -> bool:
    head = text.lstrip()[:_HEAD]
    return head[:1] in ("[", "{") and re.search(r'"(query_text|topic_id)"\s*:', head, re.IGNORECASE) is not None


def _is_csv(text: str) -> bool:
    head = text.lstrip().partition("\n")[0].lower()
    return (
        "query_id" in head and ("query_text" in head or "topic_id" in head) and _delimiter(head) is not None and not _is_json(text)
    )


_FIELDS = {
    "query_id": "query, required",
    "query_text": "text, required",
    "topic_id": "topic",
    "topic_text": "text of the topic",
    "topic_url": "url of the topic",
    "abstract_url": "abstract_url of the topic",
    "topic_title, topic_article, topic_source": "title, article and source of the topic",
    "topic_date": "published of the topic, such as 2019-05-22",
}
CSV = TopicFormat(
    name="simpletext-csv",
    title="SimpleText, a table with a header",
    extensions=(".csv",),
    recognised="a header with query_id and query_text, separated by ; , or tabs",
    fields=_FIELDS,
    example="topics/simpletext.csv",
    sniff=_is_csv,
    read=_read_csv,
)
JSON = TopicFormat(
    name="simpletext-json",
    title="SimpleText, a JSON array or JSON lines",
    extensions=(".json", ".jsonl"),
    recognised="JSON objects with query_text or topic_id",
    fields=_FIELDS,
    example="topics/simpletext.json",
    sniff=_is_json,
    read=_read_json,
)
