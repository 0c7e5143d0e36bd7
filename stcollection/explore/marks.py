"""Marks of the words of a query in texts: U+E000 before a word and U+E001 after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import LiteralString

import psycopg

MARKED = re.compile("\ue000([^\ue000\ue001]*)\ue001")  # re.split returns the marked words at odd places
_OF_QUERY: LiteralString = "stc.query_marks(%(query)s)"
_OF_WORDS: LiteralString = "stc.parse_query(stc.coverage_query(%(words)s::text[]))"


def marked(
    conn: psycopg.Connection, texts: Sequence[str | None], query: str | None = None, words: Sequence[str] = ()
) -> list[str | None]:
    """Return texts with marks (sql/retrieval/mark_words.sql). :param query: marks its words; None marks the given words."""
    marks: LiteralString = _OF_WORDS if query is None else _OF_QUERY
    rows = conn.execute(
        f"SELECT stc.mark_words(u.text, m) FROM {marks} m, unnest(%(texts)s::text[]) WITH ORDINALITY u (text, place)"  # noqa: S608
        " ORDER BY u.place",
        {"texts": list(texts), "query": query, "words": list(words)},
    )
    return [text for (text,) in rows]
