"""Database access of the search tab: functions of a connection that call SQL functions."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg
from pgvector import Vector
from psycopg.rows import class_row, namedtuple_row
from psycopg.types.json import Jsonb

from stcollection.errors import UnknownObject
from stcollection.retrieval import EMBEDDING
from stcollection.vectors.queries import accept_vectors
from stcollection.vectors.store import registered
from stcollection.web.words import later

_COUNTED = 1000  # documents of a ranking that facets count


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A search.

    :param filter: filter of ``system_search``, or None. :param model: a short name; None for the default.
    :param beside: systems to compare with.
    """

    text: str
    system: str
    k: int
    filter: dict[str, Any] | None
    model: str | None
    beside: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        return (self.system, *self.beside)

    @property
    def dense(self) -> bool:
        return not EMBEDDING.isdisjoint(self.systems)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A document on the page. :param title, snippet: words of the query are enclosed in U+E000 and U+E001."""

    rank: int
    score: float
    doc: int
    docno: str | None
    year: int | None
    venue: str | None
    citations: int | None
    title: str | None
    snippet: str | None
    authors: list[str] | None
    author_count: int
    doi: str | None = None
    url: str | None = None


@dataclass(frozen=True, kw_only=True)
class RankedBeside:
    """A document in the ranking of one system. :param title: words of the query are enclosed in U+E000 and U+E001."""

    system: str
    rank: int
    score: float
    doc: int
    docno: str
    title: str | None
    year: int | None
    venue: str | None


class FacetValue(NamedTuple):
    facet: str
    value: str
    documents: int


class JudgedResults(NamedTuple):
    edition: str
    query: str
    rel: int
    origin: str


class ScorePart(NamedTuple):
    """A document in a ranking that hybrid fuses. :param added: its contribution to the fused score."""

    ranking: str
    rank: int
    score: float
    added: float


class SearchPage(NamedTuple):
    """One page of search results.

    :param rows: of the system. :param beside: of all systems, if some are compared; then rows is empty.
    :param statement: SQL that returns the same page. :param judged: judgments by dblp.id.
    :param ranked: the documents that facets count, by dblp.id; None if they are not known.
    :param parts: explanations of the scores of the rows, by dblp.id; None: not known.
    """

    rows: list[Shown]
    beside: list[RankedBeside]
    judged: dict[int, list[JudgedResults]]
    statement: str
    ranked: Sequence[int] | None = None
    parts: Mapping[int, list[ScorePart]] | None = None


class HybridRanking(NamedTuple):
    """Ranking of a hybrid search. :param parts: explanations of the scores of the first documents, by dblp.id."""

    docs: list[int]
    scores: list[float]
    parts: dict[int, list[ScorePart]]


class Why(NamedTuple):
    """Explanation of a result; see the SQL functions called by :func:`why`."""

    parts: Sequence[ScorePart]
    words: list[Any]
    cosines: list[Any]
    passage: str | None
    measures: dict[str, float]


def find(conn: psycopg.Connection, asked: SearchRequest, vector: Vector | None) -> SearchPage:
    """Run a search. :param vector: vector of the query, if the system needs it.

    :raises UnknownObject: no document has the venue of the filter. Other errors as the SQL function search_shown.
    """
    ranking = _ranked(accept_vectors(conn), asked, vector)
    rows, beside = ([], _beside(conn, asked, vector)) if asked.beside else (_shown(conn, asked, vector, ranking), [])
    if not rows and not beside and asked.filter and "venue" in asked.filter:
        _known_venue(conn, asked.filter["venue"])
    said = conn.execute(
        "SELECT string_agg(search_statement(%s, u.system, %s, %s, %s), E'\\n\\n' ORDER BY u.place)"
        " FROM unnest(%s::text[]) WITH ORDINALITY u (system, place)",
        [asked.text, asked.k, _json(asked.filter), asked.model, list(asked.systems)],
    ).fetchone()
    docs = [row.doc for row in rows] + list({row.doc for row in beside})
    judged = _judged(conn, asked.text, docs)
    known = (array("q", ranking.docs), ranking.parts) if ranking else (None, None)
    return SearchPage(rows, beside, judged, said[0] if said else "", *known)


def _json(value: dict[str, Any] | None) -> Jsonb | None:
    return None if value is None else Jsonb(value)


def _ranked(conn: psycopg.Connection, asked: SearchRequest, vector: Vector | None) -> HybridRanking | None:
    """Return the ranking that list, facets and explanations share; None if they have to search themselves.

    A hybrid search costs the same for any number of documents: it fuses the first 1,000 of each ranking.
    """
    if asked.system != "hybrid" or asked.beside:
        return None
    [docs, scores, parts] = conn.execute(
        "SELECT docs, scores, parts FROM stc.hybrid_explained(%s, %s, %s::vector, %s, %s, %s)",
        [asked.text, _COUNTED, vector, _json(asked.filter), asked.model, asked.k],
    ).fetchone() or ([], [], {})
    return HybridRanking(docs, scores, {int(doc): [ScorePart(**one) for one in some] for doc, some in parts.items()})


def _shown(conn: psycopg.Connection, asked: SearchRequest, vector: Vector | None, ranking: HybridRanking | None) -> list[Shown]:
    docs, scores = (ranking.docs[: asked.k], ranking.scores[: asked.k]) if ranking else (None, None)
    with conn.cursor(row_factory=class_row(Shown)) as cursor:
        return cursor.execute(
            "SELECT * FROM stc.search_shown(%s, %s, %s, %s::vector, %s, %s, %s, %s)",
            [asked.text, asked.system, asked.k, vector, _json(asked.filter), asked.model, docs, scores],
        ).fetchall()


def _beside(conn: psycopg.Connection, asked: SearchRequest, vector: Vector | None) -> list[RankedBeside]:
    with conn.cursor(row_factory=class_row(RankedBeside)) as cursor:
        return cursor.execute(
            "SELECT * FROM stc.search_beside(%s, %s, %s, %s::vector, %s, %s)",
            [asked.text, list(asked.systems), asked.k, vector, _json(asked.filter), asked.model],
        ).fetchall()


def facets(
    conn: psycopg.Connection, asked: SearchRequest, vector: Vector | None, ranked: Sequence[int] | None = None
) -> list[FacetValue]:
    """Count the documents of a search by year, venue, type, reading grade and judgment; see the SQL function search_facets.

    :param ranked: as found by :func:`find`.
    """
    return [
        FacetValue(*row)
        for row in accept_vectors(conn).execute(
            "SELECT facet, value, documents FROM stc.search_facets(%s, %s, %s::vector, %s, %s, ranked => %s)",
            [asked.text, asked.system, vector, _json(asked.filter), asked.model, None if ranked is None else list(ranked)],
        )
    ]


def abstract(conn: psycopg.Connection, text: str, doc: int) -> str | None:
    """Return the abstract of a document with the words of the query marked. :raises UnknownObject: it does not exist."""
    row = conn.execute(
        "SELECT stc.mark_words(t.abstract, stc.query_marks(%s)) FROM dblp_text t WHERE t.id = %s", [text, doc]
    ).fetchone()
    if row is None:
        raise _no_document(doc)
    return None if row[0] is None else str(row[0])


def _judged(conn: psycopg.Connection, text: str, docs: Sequence[int]) -> dict[int, list[JudgedResults]]:
    judged: dict[int, list[JudgedResults]] = defaultdict(list)
    for doc, *rest in conn.execute("SELECT doc, edition, query, rel, origin FROM stc.text_judgments(%s, %s)", [text, list(docs)]):
        judged[doc].append(JudgedResults(*rest))
    return judged


def _known_venue(conn: psycopg.Connection, venue: str | list[str]) -> None:
    names = [venue] if isinstance(venue, str) else venue
    pattern = any("%" in name for name in names)
    known = conn.execute(
        "SELECT 1 FROM dblp_facts WHERE venue ILIKE ANY (%s) LIMIT 1"
        if pattern
        else "SELECT 1 FROM dblp_facts WHERE lower(venue) IN (SELECT lower(x) FROM unnest(%s::text[]) x) LIMIT 1",
        [names],
    ).fetchone()
    if known is None:
        raise UnknownObject(
            later("no document has the venue {venues}", venues=", ".join(map(repr, names))),
            hint=later("Case is ignored; % matches any text, as in %retrieval%."),
        )


def _no_document(doc: int) -> UnknownObject:
    return UnknownObject(
        later("there is no document {doc}", doc=doc), hint=later("It may have been removed: search again."), sqlstate="IR104"
    )


def why(
    conn: psycopg.Connection,
    asked: SearchRequest,
    doc: int,
    vector: Vector | None,
    parts: Mapping[int, list[ScorePart]] | None = None,
) -> Why:
    """Explain the rank of a document.

    :param parts: as found by :func:`find`. :raises UnknownObject: the document does not exist.
    """
    with accept_vectors(conn).cursor(row_factory=namedtuple_row) as cursor:
        explained = parts.get(doc, []) if parts else []
        words = cosines = []
        passage = None
        if asked.system == "hybrid" and not explained:
            explained = [
                ScorePart(*row)
                for row in cursor.execute(
                    "SELECT ranking, rank, score, added FROM stc.search_parts(%s, %s, %s::vector, %s, %s, %s)",
                    [asked.text, [doc], vector, _json(asked.filter), asked.model, asked.k],
                )
            ]
        if asked.system in ("hybrid", "bm25", "rm3", "boolean"):
            words = cursor.execute("SELECT word, qtf, tf, df, added FROM stc.bm25_words(%s, %s)", [asked.text, doc]).fetchall()
        if vector is not None:
            cosines = cursor.execute(
                "SELECT * FROM stc.document_cosines(%s, %s::vector, %s)", [doc, vector, asked.model]
            ).fetchall()
            best = cursor.execute(
                "SELECT passage FROM passage_snippet(%s, %s::vector, 1, %s)", [doc, vector, asked.model]
            ).fetchone()
            passage = best[0] if best else None
    row = conn.execute(
        "SELECT to_json(m) FROM dblp_text t LEFT JOIN document_measures m ON m.id = t.id WHERE t.id = %s", [doc]
    ).fetchone()
    if row is None:
        raise _no_document(doc)
    measures = {name: value for name, value in (row[0] or {}).items() if isinstance(value, int | float)}
    return Why(explained, words, cosines, passage, measures)


def neighbours(conn: psycopg.Connection, doc: int, field: str, k: int, model: str | None) -> tuple[str, list[Shown]]:
    """Return the title of a document, and its k nearest neighbours.

    :raises UnknownObject: the document does not exist. :raises StateError: it has no vector.
    """
    if doc >= 2**63:
        raise _no_document(doc)
    title = conn.execute("SELECT t.title FROM dblp_text t WHERE t.id = %s", [doc]).fetchone()
    with conn.cursor(row_factory=class_row(Shown)) as cursor:
        rows = cursor.execute(
            "SELECT n.rank, n.score, n.doc, d.docno, f.year, f.venue, f.n_citation AS citations, t.title,"
            " stc.best_sentence(t.abstract, '{}') AS snippet, NULL::text[] AS authors, 0 AS author_count"
            "  FROM document_neighbours(%s, %s, %s, %s) n JOIN dblp d ON d.id = n.doc LEFT JOIN dblp_facts f ON f.id = n.doc"
            "  LEFT JOIN dblp_text t ON t.id = n.doc ORDER BY n.rank",
            [doc, k, field, model],
        ).fetchall()
    return (title[0] if title else None) or f"document {doc}", rows


def stored_text(conn: psycopg.Connection, query: str) -> str:
    """Return the text of a stored query. :raises UnknownObject: the query does not exist, or has no text."""
    row = conn.execute("SELECT text FROM st1_queries WHERE query = %s", [query]).fetchone()
    if row is None or row[0] is None:
        raise UnknownObject(
            later("there is no stored query {query!r}", query=query),
            hint=later("Select one from the list below the field."),
            sqlstate="IR103",
        )
    return str(row[0])


def remember(conn: psycopg.Connection, text: str, model: str | None, vector: Vector) -> None:
    """Store the vector of a query for embed_query in psql. Do nothing if the role cannot write."""
    space = registered(conn, model)
    if conn.execute("SELECT has_table_privilege('query_v', 'INSERT')").fetchone() == (True,):
        accept_vectors(conn).execute(
            "INSERT INTO query_v (model, text, v) SELECT model, %s, %s::vector FROM stc.vector_models WHERE model = %s"
            " ON CONFLICT DO NOTHING",
            [text, vector, space.model],
        )
