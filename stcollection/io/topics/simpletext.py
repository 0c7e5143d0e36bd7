"""Read SimpleText's topics and queries: a table with a header, or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from stcollection.io.files import bad_line, clip
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord
from stcollection.io.tables import DELIMITERS
from stcollection.io.topics.background import article
from stcollection.io.topics.columns import query_of
from stcollection.io.topics.jsonl import texts
from stcollection.io.topics.records import records
from stcollection.io.topics.table import QueryTable, named_rows

_HEAD = 100_000  # characters used to detect JSON


def _query(path: Path, line: int, record: dict[str, str | None], options: QueryOptions, *, what: str = "field") -> QueryRecord:
    """Return the query of a SimpleText record, with its topic."""
    query = query_of(path, line, record, options, what=what)
    topic = {name.lower(): value or None for name, value in record.items()}
    return replace(
        query,
        topic=topic.get("topic_id"),
        topic_text=topic.get("topic_text"),
        url=topic.get("topic_url"),
        abstract_url=topic.get("abstract_url"),
        topic_title=topic.get("topic_title"),
        article=topic.get("topic_article") or article([topic]),
        source=topic.get("topic_source"),
        published=read_date(path, line, topic.get("topic_date")),
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


def _read_json(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    for line, record in records(path, text, lower=False):
        yield _query(path, line, texts(record), options)


def _read_csv(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    table = QueryTable(text)
    if problem := table.problem(str(path), options.fields):
        raise problem
    for line, cells in named_rows(path, table, options.fields):
        yield _query(path, line, {**cells}, options, what="column")


def _is_json(text: str) -> bool:
    head = text.lstrip()[:_HEAD]
    return head[:1] in ("[", "{") and re.search(r'"(query_text|topic_id)"\s*:', head, re.IGNORECASE) is not None


def _is_csv(text: str) -> bool:
    head = text.lstrip().partition("\n")[0].lower()
    return (
        "query_id" in head
        and ("query_text" in head or "topic_id" in head)
        and any(sign in head for sign in DELIMITERS)
        and not _is_json(text)
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
    renamed=True,
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
    renamed=True,
)
