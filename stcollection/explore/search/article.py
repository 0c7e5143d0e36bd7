"""Documents like the press article of a topic, on the search tab."""

from __future__ import annotations

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.explore.search.asking import SearchRequest, Shown
from stcollection.retrieval.batches import CHUNK
from stcollection.topics.articles import topic_article


def topics_with_article(conn: psycopg.Connection) -> list[tuple[str, str]]:
    """Return the topics that have an article, with its title, by name."""
    return [
        (topic, title or "")
        for topic, title, words in conn.execute("SELECT topic, title, words FROM stc.topic_overview()")
        if words
    ]


def unembedded_chunks(conn: psycopg.Connection, topic: str, model: str | None) -> list[str]:
    """Return the chunks of an article whose vectors are not stored. :raises StateError: the topic has no article."""
    rows = conn.execute(
        "SELECT DISTINCT c.text FROM unnest(stc.article_chunks(stc.needed_article(%s), %s)) c (text)"
        " WHERE NOT EXISTS (SELECT FROM query_v v WHERE v.model = (stc.vector_model(%s)).model AND v.digest = md5(c.text)"
        "                                           AND v.text = c.text)",
        [topic, CHUNK, model],
    ).fetchall()
    return [text for (text,) in rows]


def like_article(conn: psycopg.Connection, topic: str, asked: SearchRequest) -> tuple[str, list[Shown]]:
    """Return the title of an article, and the documents most like it (sql/retrieval/article_page.sql).

    :raises UnknownObject: the topic is not stored. :raises StateError: it has no article, or a vector cannot be computed.
    """
    with conn.cursor(row_factory=class_row(Shown)) as cursor:
        rows = cursor.execute(
            "SELECT p.*, NULL::text[] AS authors, 0 AS author_count"
            "  FROM stc.article_page(%s, %s, %s, %s, %s, %s) p ORDER BY p.rank",
            [topic, asked.system, asked.k, None if asked.filter is None else Jsonb(asked.filter), asked.model, CHUNK],
        ).fetchall()
    return topic_article(conn, topic).title or topic, rows
