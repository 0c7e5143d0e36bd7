"""Read queries from JSON lines, a JSON array, or one object of texts by id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stcollection.io.corpus.documents import storable
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord
from stcollection.io.topics.columns import FIELDS, IDS, query_of
from stcollection.io.topics.records import records


def _read(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    for line, record in records(path, text, lower=False):
        lower = {name.lower(): value for name, value in record.items()}
        if set(IDS).isdisjoint(lower) and record and all(isinstance(value, str | dict) for value in record.values()):
            for query, value in record.items():
                parts = value if isinstance(value, dict) else {"query": value}
                yield query_of(path, line, {**_texts({name.lower(): one for name, one in parts.items()}), IDS[0]: query}, options)
        else:
            yield query_of(path, line, _texts(lower), options)


def _texts(record: dict[str, Any]) -> dict[str, str]:
    """Return the fields with text or integers, as text."""
    return {
        name: storable(str(value)).strip()
        for name, value in record.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
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
)
