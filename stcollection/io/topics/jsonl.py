"""Read queries from JSON lines, a JSON array, or one object of texts by id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stcollection.io.corpus.documents import storable
from stcollection.io.corpus.fields import folded
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord
from stcollection.io.topics.background import article, with_topic
from stcollection.io.topics.columns import FIELDS, IDS, KNOWN, query_of
from stcollection.io.topics.records import excluded_ids, records

_BY_ID = 'If the names are ids of queries, write one object per query: {"query_id": "q1", "query": "…"}.'


def _read(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    objects = list(records(path, text, lower=False))
    if options.fields.given("queries") or not _by_id([record for _, record in objects]):
        advice = _BY_ID if len(objects) == 1 else ""
        for line, record in objects:
            values = texts(record)
            query = replace(query_of(path, line, values, options, advice=advice), excluded=excluded_ids(record))
            background = article([values])
            named = background is not None and background != query.text
            yield with_topic(query, query.query, values.get("title"), background) if named else query
        return
    for line, record in objects:
        for name, value in record.items():
            yield query_of(path, line, {**texts(value if isinstance(value, dict) else {"query": value}), IDS[0]: name}, options)


def _by_id(objects: Sequence[dict[str, Any]]) -> bool:
    """Return True if the names in objects are ids of queries, not of fields: most have a digit, or their values are objects."""
    names = [name for record in objects for name in record]
    values = [value for record in objects for value in record.values()]
    if len(set(names)) < len(names) or not names or not all(isinstance(value, str | dict) for value in values):
        return False
    ids = sum(isinstance(value, dict) or any(map(str.isdigit, name)) for name, value in zip(names, values, strict=True))
    return KNOWN.isdisjoint(map(folded, names)) and 2 * ids > len(names)


def texts(record: dict[str, Any]) -> dict[str, str | None]:
    """Return the fields of a record as text; None for values that are neither text nor integers."""
    return {
        str(name): storable(str(value)).strip() if isinstance(value, str | int) and not isinstance(value, bool) else None
        for name, value in record.items()
    }


FORMAT = TopicFormat(
    name="jsonl",
    title="JSON lines (BEIR), a JSON array, or one object of texts by id",
    extensions=(".jsonl", ".json"),
    recognised="[ or { at the start",
    fields=FIELDS,
    example="topics/queries.jsonl",
    sniff=lambda text: text.lstrip()[:1] in ("[", "{"),
    read=_read,
    renamed=True,
)
