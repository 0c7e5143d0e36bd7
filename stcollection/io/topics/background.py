"""What a topic says besides its query: narrative, background, problem statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stcollection.io.records import QueryRecord

PARTS = ("description", "desc", "background", "problem_statement", "narrative", "narr")


def article(records: Iterable[Mapping[str, str | None]]) -> str | None:
    """Return the parts of a topic in the order of PARTS as the paragraphs of its article; None without any."""
    return "\n\n".join(part for record in records for name in PARTS if (part := record.get(name))) or None


def with_topic(query: QueryRecord, topic: str, title: str | None, background: str | None) -> QueryRecord:
    """Return a query of a topic with a title and an article."""
    return replace(query, topic=topic, topic_text=title or query.topic_text, article=background)
