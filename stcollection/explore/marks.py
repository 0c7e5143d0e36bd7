"""Marks of the words of a query in texts: U+E000 before a word and U+E001 after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import LiteralString

import psycopg

MARKED = re.compile("\ue000([^\ue000\ue001]*)\ue001")  # re.split returns the marked words at odd places
_OF_QUERY: LiteralString = "stc.query_marks(%(query)s)"


def marked(conn: psycopg.Connection, texts: Sequence[str | None], query: object, by: LiteralString = _OF_QUERY) -> list[str | None]:
    """Return texts with marks of the words of a query (sql/retrieval/mark_words.sql). :param by: SQL that returns what to mark."""
    rows = conn.execute(
        f"SELECT stc.mark_words(u.text, m) FROM {by} m, unnest(%(texts)s::text[]) WITH ORDINALITY u (text, place)"  # noqa: S608
        " ORDER BY u.place",
        {"texts": list(texts), "query": query},
    )
    return [text for (text,) in rows]
