"""Explain a search: the parts of a document's score, and the number of documents with each fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import psycopg
from pgvector import Vector
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.db.rows import records
from stcollection.errors import UnknownObject, translate
from stcollection.retrieval import SPARSE, SYSTEMS
from stcollection.retrieval.filters import read_filter
from stcollection.retrieval.pipelines import pipeline, rank
from stcollection.retrieval.search import Search
from stcollection.texts import later
from stcollection.vectors.queries import accept_vectors

_LEXICAL = ("bm25", "rm3", "boolean")  # rank by words
_COUNTED = 1000  # documents of a ranking that facets count
_KEYS = {"year": "year", "venue": "venue", "type": "doc_type", "grade": "textstat_fkgl", "judged": "judged"}  # of the filter


class FacetCount(NamedTuple):
    """The number of documents of a search with a value. :param facet: documents, year, venue, type, grade or judged."""

    facet: str
    value: str
    documents: int


class ScorePart(NamedTuple):
    """A document in a ranking that a system fuses. :param added: its contribution to the fused score."""

    ranking: str
    rank: int | None
    score: float | None
    added: float


class MatchedWord(NamedTuple):
    """A word of the query in a document.

    :param qtf, tf: occurrences in the query and in the document. :param df: documents with it.
    :param added: its contribution to BM25.
    """

    word: str
    qtf: int
    tf: int
    df: int
    added: float


class FieldCosine(NamedTuple):
    """The cosine of the query and a field of a document."""

    field: str
    cosine: float


class SharedTerm(NamedTuple):
    """A term that the sparse vectors of query and document share (sql/retrieval/sparse_words.sql).

    :param in_query, in_document: False: the model added it; None: unknown.
    """

    term: str
    query_weight: float
    document_weight: float
    added: float
    in_query: bool | None
    in_document: bool | None


class HybridRanking(NamedTuple):
    """Ranking of a hybrid search. :param parts: explanations of the scores of the first documents, by dblp.id."""

    docs: list[int]
    scores: list[float]
    parts: dict[int, list[ScorePart]]


class Explanation(NamedTuple):
    """Why a system retrieves a document for a query.

    :param passage: the passage nearest to the query. :param measures: readability and credibility by name.
    :param stages: of a system that has several, as add_system takes them.
    """

    parts: list[ScorePart]
    words: list[MatchedWord]
    cosines: list[FieldCosine]
    passage: str | None
    measures: dict[str, float]
    terms: list[SharedTerm]
    stages: str | None


def hybrid_ranking(conn: psycopg.Connection, query: Search, vector: Vector | None) -> HybridRanking:
    """Return the ranking that list, facets and explanations of a hybrid search share.

    A hybrid search costs the same for any number of documents: it fuses the first 1,000 of each ranking.
    """
    [docs, scores, parts] = accept_vectors(conn).execute(
        "SELECT docs, scores, parts FROM stc.hybrid_explained(%s, %s, %s::vector, %s, %s, %s)",
        [query.text, _COUNTED, vector, _filter(conn, query), query.model, query.k],
    ).fetchone() or ([], [], {})
    return HybridRanking(docs, scores, {int(doc): [ScorePart(**part) for part in some] for doc, some in parts.items()})


@translate()
def facets(conn: psycopg.Connection, query: Search, vector: Vector | None, ranked: Sequence[int] | None = None) -> list[FacetCount]:
    """Count the documents of a search by year, venue, type, reading grade and judgment; see the SQL function search_facets.

    A facet ignores its own filter, so that its other values can be chosen as well.

    :param ranked: dblp.id of the documents, if they are known.
    """
    given = read_filter(conn, query.filter) or {}
    counted = _counts(conn, query, given, vector, ranked)
    if any(row.facet == "documents" and row.value == "first" for row in counted):  # SQL has counted only with the whole filter
        for facet, key in _KEYS.items():
            if key in given:
                rest = {name: value for name, value in given.items() if name != key}
                others = _counts(conn, query, rest, vector, None)
                counted = [row for row in counted if row.facet != facet] + [row for row in others if row.facet == facet]
    return counted


def _counts(
    conn: psycopg.Connection, query: Search, given: Mapping[str, Any], vector: Vector | None, ranked: Sequence[int] | None
) -> list[FacetCount]:
    """Count the documents of a search. :param given: filter of the search, as JSON."""
    narrowed = Jsonb(given) if given else None
    if ranked is None and (steps := pipeline(conn, query.system, query.model)) is not None:  # later stages keep all documents
        first = steps._replace(stages=steps.stages[:1])
        ranked, _ = rank(conn, first, query.text, filter=dict(given), model=query.model, vector=vector)
    with accept_vectors(conn).cursor(row_factory=class_row(FacetCount)) as cursor:
        return cursor.execute(
            "SELECT facet, value, documents FROM stc.search_facets(%s, %s, %s::vector, %s, %s, ranked => %s)",
            [query.text, query.system, vector, narrowed, query.model, None if ranked is None else list(ranked)],
        ).fetchall()


@translate()
def why(
    conn: psycopg.Connection,
    query: Search,
    doc: int,
    vector: Vector | None,
    parts: Mapping[int, list[ScorePart]] | None = None,
) -> Explanation:
    """Explain the rank of a document.

    :param parts: as returned by :func:`hybrid_ranking`. :raises UnknownObject: the document does not exist.
    """
    explained = parts.get(doc, []) if parts else []
    words: list[MatchedWord] = []
    terms: list[SharedTerm] = []
    cosines: list[FieldCosine] = []
    passage = None
    accept_vectors(conn)
    if (query.system == "hybrid" or query.system not in SYSTEMS) and not explained:
        explained = records(
            conn,
            ScorePart,
            "SELECT ranking, rank, score, added FROM stc.search_parts(%s, %s, %s::vector, %s, %s, %s, %s)",
            [query.text, [doc], vector, _filter(conn, query), query.model, query.k, query.system],
        )
    steps = pipeline(conn, query.system, query.model)
    rankings = {query.system, *(part.ranking for part in explained)} | ({steps.first} if steps else set())
    if rankings & {"hybrid", *_LEXICAL}:
        words = records(conn, MatchedWord, "SELECT word, qtf, tf, df, added FROM stc.bm25_words(%s, %s)", [query.text, doc])
    if vector is not None and query.system in SPARSE:
        terms = records(
            conn, SharedTerm, "SELECT * FROM stc.sparse_words(%s::vector, %s, %s, %s)", [vector, doc, query.text, query.model]
        )
    elif vector is not None:
        cosines = records(conn, FieldCosine, "SELECT * FROM stc.document_cosines(%s, %s::vector, %s)", [doc, vector, query.model])
        best = conn.execute("SELECT passage FROM passage_snippet(%s, %s::vector, 1, %s)", [doc, vector, query.model]).fetchone()
        passage = best[0] if best else None
    row = conn.execute(
        "SELECT to_json(m) FROM dblp_text t LEFT JOIN document_measures m ON m.id = t.id WHERE t.id = %s", [doc]
    ).fetchone()
    if row is None:
        raise no_document(doc)
    measures = {name: value for name, value in (row[0] or {}).items() if isinstance(value, int | float) and name != "id"}
    return Explanation(explained, words, cosines, passage, measures, terms, steps and steps.text)


def no_document(doc: int) -> UnknownObject:
    """Return the error for a dblp.id that does not exist."""
    return UnknownObject(
        later("there is no document {doc}", doc=doc), hint=later("It may have been removed: search again."), sqlstate="IR104"
    )


def _filter(conn: psycopg.Connection, query: Search) -> Jsonb | None:
    read = read_filter(conn, query.filter)
    return None if read is None else Jsonb(read)
