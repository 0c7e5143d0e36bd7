"""Search for one query, an article or the neighbours of a document: records with titles and snippets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, LiteralString, NamedTuple

import psycopg
from pgvector import Vector
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.db.rows import records
from stcollection.declared import INTERNAL, AllowedRange, Option, RecordTable, declare
from stcollection.errors import BadArgument, translate
from stcollection.retrieval import System
from stcollection.retrieval.filters import Filter, TypedFilter, read_filter
from stcollection.retrieval.pipelines import Pipeline, pipeline, rank, rank_article
from stcollection.retrieval.run import embed_articles
from stcollection.retrieval.settings import CHUNK
from stcollection.retrieval.systems import model_of, needs_vector
from stcollection.topics.excluded import excluded_by_text
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import accept_vector_arrays, accept_vectors, query_vector, query_vectors, short

_COLUMNS = {"rank": int, "score": float, "docno": str, "year": int, "title": str, "snippet": str}
EmbeddingModel = Annotated[
    str | Encoder | None,
    Option(metavar="SHORT", help="Name of the embedding model in the collection.", default="the collection's first"),
]


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


class RankedDocument(NamedTuple):
    """A document in the ranking of one of several queries. :param query: its index, from 0."""

    query: int
    docno: str
    rank: int
    score: float


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search.

    :param filter: a record, or JSON for ``system_search``. :param model: a short name; None for the default.
    """

    text: str
    system: str
    k: int
    filter: TypedFilter | Filter | None
    model: str | None


@translate()
def search_article(
    conn: psycopg.Connection,
    topic: str,
    *,
    system: str = "hybrid",
    k: int = 10,
    chunk: int = CHUNK,
    filter: TypedFilter | Filter | None = None,  # noqa: A002
    model: str | Encoder | None = None,
    embedded: bool = False,
    licences: Sequence[str] = (),
) -> list[FoundDocument]:
    """Return the k documents most like the article of a topic, best first (sql/retrieval/article_search.sql).

    :param chunk: maximum number of words of the chunks in which the article is searched; 0 searches sentences.
    :param embedded: the vectors of the chunks are stored (:func:`unembedded_chunks`). The others are those of :func:`search`.
    :raises UnknownObject: unknown topic, system, model or edition.
    :raises BadArgument: k is below 1, or chunk or the filter is invalid.
    :raises StateError: the topic has no article, or there is no text index, or there are no vectors.
    """
    docs, scores = None, None
    if (steps := pipeline(conn, system, model)) is not None:
        [(article,)] = conn.execute("SELECT stc.needed_article(%s)", [topic]).fetchall()
        docs, scores = rank_article(conn, steps, article, chunk, k=k, filter=read_filter(conn, filter), model=model)
    elif not embedded and needs_vector(conn, system):
        embed_articles(conn, topic=topic, chunk=chunk, model=model_of(conn, system, model))
    with conn.transaction(), conn.cursor(row_factory=class_row(FoundDocument)) as cursor:
        return cursor.execute(
            "SELECT rank, score, doc, docno, year, venue, citations, title,"
            " CASE WHEN %(licences)s::text[] = '{}' OR stc.has_licence(docno, %(licences)s) THEN snippet END AS snippet"
            " FROM stc.article_page(%(topic)s, %(system)s, %(k)s, %(filter)s, %(model)s, %(chunk)s,"
            " %(docs)s, %(scores)s) ORDER BY rank",
            {"topic": topic, "chunk": chunk, "docs": docs, "scores": scores}
            | search_values(conn, "", system=system, k=k, filter=filter, model=short(model), vector=None, licences=licences),
        ).fetchall()


def unembedded_chunks(conn: psycopg.Connection, topic: str, model: str | None, *, chunk: int = CHUNK) -> list[str]:
    """Return the chunks of an article whose vectors are not stored. :raises StateError: the topic has no article."""
    rows = conn.execute(
        "SELECT DISTINCT c.text FROM unnest(stc.article_chunks(stc.needed_article(%s), %s)) c (text)"
        " WHERE NOT EXISTS (SELECT FROM query_v v WHERE v.model = (stc.vector_model(%s, sparse => NULL)).model"
        " AND v.digest = md5(c.text)"
        "                                           AND v.text = c.text)",
        [topic, chunk, model],
    ).fetchall()
    return [text for (text,) in rows]


@declare
@translate()
def search(
    conn: psycopg.Connection,
    query: Annotated[str, Option("TEXT")],
    system: System = "hybrid",
    *,
    k: Annotated[int, AllowedRange(ge=1), Option("-k")] = 10,
    model: EmbeddingModel = None,
    filter: TypedFilter | Filter | None = None,  # noqa: A002
    vector: Annotated[Vector | str | None, INTERNAL] = None,
    ranked: Annotated[tuple[Sequence[int], Sequence[float]] | None, INTERNAL] = None,
    licences: Annotated[Sequence[str], INTERNAL] = (),
) -> RecordTable[FoundDocument]:
    """Return the k best documents for a query: rank, score, docno, year, title, snippet.

    The snippet is the sentence of the abstract with the most words of the query. If the system needs a vector of the text that is
    neither given nor cached, the text is embedded. With a filter, all k documents match it if the collection has k.

    :param query: The query.
    :param system: System that ranks the documents: hybrid, bm25, boolean, dense-abstract, …
    :param k: Number of documents to show.
    :param vector: vector of the text by that model: pgvector's ``Vector``, or the text that pgvector reads.
    :param ranked: dblp.id and score of the documents, best first, if they are known; then nothing is searched.
    :param licences: only documents with these licences have a snippet; empty: all.
    :raises UnknownObject: unknown system, model or edition.
    :raises BadArgument: the query is not text, k is below 1, or the filter is invalid.
    :raises StateError: there is no text index, or there are no vectors.
    """
    if not isinstance(query, str):
        raise BadArgument(f"the query is {query!r}", hint="A query must be text.")
    if ranked is None and (steps := pipeline(conn, system, model)) is not None:
        ranked = rank(conn, steps, query, k=k, filter=read_filter(conn, filter), model=model, vector=vector)
    elif vector is None and ranked is None and needs_vector(conn, system):
        vector = query_vector(conn, query, model=model_of(conn, system, model))
    values = search_values(conn, query, system=system, k=k, filter=filter, model=short(model), vector=vector, licences=licences)
    docs, scores = (None, None) if ranked is None else (list(ranked[0]), list(ranked[1]))
    with conn.transaction(), accept_vectors(conn).cursor(row_factory=class_row(FoundDocument)) as cursor:
        rows = cursor.execute(
            search_sql("rank, score, doc, docno, year, venue, citations, title", ", %(docs)s, %(scores)s", licensed=bool(licences)),
            values | {"docs": docs, "scores": scores},
        ).fetchall()
    return RecordTable(rows, columns=_COLUMNS)


def search_sql(columns: LiteralString, ranked: LiteralString = "", *, licensed: bool = False) -> LiteralString:
    """Return the SELECT of a search, with the placeholders of :func:`search_values`.

    :param columns: those before the snippet. :param ranked: further arguments of search_page, after a comma.
    :param licensed: only documents with the licences have a snippet.
    """
    snippet: LiteralString = "CASE WHEN stc.has_licence(docno, %(licences)s) THEN snippet END AS snippet" if licensed else "snippet"
    return (
        f"SELECT {columns}, {snippet} FROM stc.search_page("  # noqa: S608
        f"%(text)s, %(system)s, %(k)s, %(vector)s::vector, %(filter)s, %(model)s{ranked}) ORDER BY rank"
    )


def search_values(
    conn: psycopg.Connection,
    text: str,
    *,
    system: str,
    k: int,
    filter: TypedFilter | Filter | None,  # noqa: A002
    model: str | None,
    vector: Vector | str | None,
    licences: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the values of the placeholders of :func:`search_sql`. Arguments are those of :func:`search`."""
    read = read_filter(conn, filter)
    return {
        "text": text,
        "system": system,
        "k": k,
        "vector": vector,
        "filter": None if read is None else Jsonb(read),
        "model": model,
        "licences": list(licences),
    }


@translate()
def search_many(
    conn: psycopg.Connection,
    queries: Sequence[str],
    *,
    system: str,
    k: int,
    filter: TypedFilter | Filter | None = None,  # noqa: A002
    model: str | None = None,
    names: Sequence[str] = (),
) -> list[RankedDocument]:
    """Return the k best documents for each query, in one statement, by query and rank. Arguments are those of :func:`search`.

    :param names: of the queries; documents that are left out for a stored query of the name are not returned.
    """
    if queries and (steps := pipeline(conn, system, model)) is not None:
        return _staged(conn, steps, queries, k=k, filter=read_filter(conn, filter), model=model, names=names)
    embedded = bool(queries) and needs_vector(conn, system)
    vectors = query_vectors(conn, queries, model=model_of(conn, system, model)) if embedded else None
    if vectors is not None:
        accept_vector_arrays(conn)
    values = search_values(conn, "", system=system, k=k, filter=filter, model=model, vector=None)
    with conn.transaction():
        rows = conn.execute(
            "SELECT (q.place - 1)::integer, d.docno, s.rank, s.score"
            "  FROM unnest(%(texts)s::text[], %(vectors)b::vector[], %(names)s::text[])"
            "       WITH ORDINALITY q (text, v, name, place)"
            "  LEFT JOIN stc.st1_queries x ON x.query = q.name"
            " CROSS JOIN LATERAL ("
            "       SELECT s.doc, s.score, row_number() OVER (ORDER BY s.rank)::integer AS rank"
            "         FROM system_search(q.text, %(system)s, %(k)s + coalesce(cardinality(x.excluded), 0), q.v,"
            "                            %(filter)s, %(model)s) s"
            "        WHERE s.doc <> ALL (coalesce(x.excluded, '{}'))"
            "        ORDER BY s.rank LIMIT %(k)s) s"
            "  JOIN dblp d ON d.id = s.doc ORDER BY q.place, s.rank",
            values | {"texts": list(queries), "vectors": vectors, "names": list(names)},
        )
        return [RankedDocument(*row) for row in rows]


def _staged(
    conn: psycopg.Connection,
    steps: Pipeline,
    queries: Sequence[str],
    *,
    k: int,
    filter: Filter | None,  # noqa: A002
    model: str | None,
    names: Sequence[str],
) -> list[RankedDocument]:
    """Return the k best documents for each query by a system with several stages, as :func:`search_many`."""
    stored = "SELECT query, excluded FROM stc.st1_queries WHERE query = ANY (%s) AND excluded <> '{}'"
    excluded: dict[str, list[int]] = dict(conn.execute(stored, [list(names)]).fetchall()) if names else {}
    rows: list[RankedDocument] = []
    for place, text in enumerate(queries):
        left_out = excluded.get(names[place], []) if names else []
        docs, scores = rank(conn, steps, text, k=k, filter=filter, model=model, excluded=left_out)
        docnos: dict[int, str] = dict(conn.execute("SELECT id, docno FROM dblp WHERE id = ANY (%s)", [docs]).fetchall())
        best = zip(docs, scores, strict=True)
        rows += [RankedDocument(place, docnos[doc], at, score) for at, (doc, score) in enumerate(best, 1)]
    return rows


def excluded_here(
    conn: psycopg.Connection,
    text: str,
    filter: TypedFilter | Filter | None,  # noqa: A002
) -> tuple[str, int] | None:
    """Return a stored query with the text of a search that excludes documents which the filter does not, and their number."""
    return excluded_by_text(conn, text) if _key(filter, "excluded_for") is None else None


@translate()
def excluded_note(conn: psycopg.Connection, text: str, filter: TypedFilter | Filter | None) -> str | None:  # noqa: A002
    """Return a note if a stored query with the text of a search excludes documents, and the filter does not.

    :param filter: of the search.
    """
    excluding = excluded_here(conn, text, filter)
    if excluding is None:
        return None
    query, count = excluding
    return (
        f"{counted(count, 'document is', 'documents are')} excluded for the query {query}, which has this text, but not here;"
        f" the filter excluded-for={query} excludes them"
    )


def _key(filter: TypedFilter | Filter | None, name: str) -> Any:  # noqa: A002
    return getattr(filter, name) if isinstance(filter, TypedFilter) else (filter or {}).get(name)


@translate()
def neighbours(
    conn: psycopg.Connection, doc: int, *, field: str = "title", k: int = 10, model: str | None = None
) -> list[FoundDocument]:
    """Return the k nearest neighbours of a document by the vectors of a field, without the document itself, nearest first.

    :param doc: dblp.id. :param field: ``title``, ``abstract`` or ``content``. :returns: the score is the cosine.
    :raises UnknownObject: the document does not exist. :raises StateError: it has no vector of the field.
    """
    return records(
        conn,
        FoundDocument,
        "SELECT n.rank, n.score, n.doc, d.docno, f.year, f.venue, f.n_citation AS citations, t.title,"
        " stc.best_sentence(t.abstract, '{}') AS snippet"
        "  FROM document_neighbours(%s, %s, %s, %s) n JOIN dblp d ON d.id = n.doc LEFT JOIN dblp_facts f ON f.id = n.doc"
        "  LEFT JOIN dblp_text t ON t.id = n.doc ORDER BY n.rank",
        [doc, k, field, model],
    )


def abstracts(conn: psycopg.Connection, docs: Sequence[int]) -> dict[int, str | None]:
    """Return the abstracts of documents by dblp.id."""
    return dict(conn.execute("SELECT t.id, t.abstract FROM dblp_text t WHERE t.id = ANY (%s)", [list(docs)]).fetchall())
