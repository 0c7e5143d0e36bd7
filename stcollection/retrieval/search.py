"""Search for one query, with titles and snippets for display."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from pgvector import Vector
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.errors import translate
from stcollection.retrieval import EMBEDDING
from stcollection.retrieval.batches import CHUNK
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.run import embed_articles
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import accept_vectors, query_vector, short


@dataclass(frozen=True, kw_only=True)
class FoundDocument:
    """A document in a search result.

    :param rank: from 1. :param doc: dblp.id. :param docno: external name of the document.
    :param snippet: the sentence of the abstract with the most words of the query or article; None without an abstract.
    """

    rank: int
    score: float
    doc: int
    docno: str
    year: int | None
    venue: str | None
    citations: int | None
    title: str | None
    snippet: str | None


@translate()
def search_article(
    conn: psycopg.Connection,
    topic: str,
    *,
    system: str = "hybrid",
    k: int = 10,
    chunk: int = CHUNK,
    filter: Filter | None = None,  # noqa: A002
    model: str | Encoder | None = None,
) -> list[FoundDocument]:
    """Return the k documents most like the article of a topic, best first (sql/retrieval/article_search.sql).

    :param chunk: maximum number of words of the chunks in which the article is searched; 0 searches sentences.
        The other parameters are those of :func:`search`.
    :raises UnknownObject: unknown topic, system, model or edition.
    :raises BadArgument: k is below 1, or chunk or the filter is invalid.
    :raises StateError: the topic has no article, or there is no text index, or there are no vectors.
    """
    if system in EMBEDDING:
        embed_articles(conn, topic=topic, chunk=chunk, model=model)
    with conn.transaction(), conn.cursor(row_factory=class_row(FoundDocument)) as cursor:
        return cursor.execute(
            "SELECT * FROM stc.article_page(%s, %s, %s, %s, %s, %s)",
            [topic, system, k, None if filter is None else Jsonb(filter), short(model), chunk],
        ).fetchall()


@translate()
def search(
    conn: psycopg.Connection,
    text: str,
    *,
    system: str = "hybrid",
    k: int = 10,
    filter: Filter | None = None,  # noqa: A002
    model: str | Encoder | None = None,
    vector: Vector | str | None = None,
) -> list[FoundDocument]:
    """Return the k best documents for a query, best first.

    If the system needs a vector of the text that is neither given nor cached, the text is embedded.

    :param system: one of ``retrieval.SYSTEMS``.
    :param filter: return only documents that match it (sql/corpus/filter_condition.sql), k of them if k match.
    :param model: short name of an embedding model, or a model in memory; None uses the collection's default.
    :param vector: vector of the text by that model: pgvector's ``Vector``, or the text that pgvector reads.
    :raises UnknownObject: unknown system, model or edition.
    :raises BadArgument: k is below 1, or the filter is invalid.
    :raises StateError: there is no text index, or there are no vectors.
    """
    if vector is None and system in EMBEDDING:
        vector = query_vector(conn, text, model=model)
    with conn.transaction(), accept_vectors(conn).cursor(row_factory=class_row(FoundDocument)) as cursor:
        return cursor.execute(
            "SELECT * FROM stc.search_page(%s, %s, %s, %s::vector, %s, %s)",
            [text, system, k, vector, None if filter is None else Jsonb(filter), short(model)],
        ).fetchall()
