"""The routes of topic coverage, of the map of the documents, of articles, and of several systems side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import psycopg
from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from stcollection.analysis.map.documents import grades
from stcollection.http import answers
from stcollection.http.limits import CHARACTERS, SIZE, refused
from stcollection.http.parameters import Queries, Text
from stcollection.http.service import unlicensed
from stcollection.retrieval import EMBEDDING, SYSTEMS
from stcollection.retrieval.search import FoundDocument, search, search_article
from stcollection.studies.coverage.cover import find_documents
from stcollection.studies.coverage.records import KINDS, CoverageOptions, WordDocument
from stcollection.studies.coverage.store import get_coverage, long_queries, make_request, stored_queries
from stcollection.topics.articles import topic_article, topics_with_article
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding
from stcollection.web.maps import SharedMap

_DEFAULT = CoverageOptions()
_System = Annotated[Text, Query(description="The retrieval system.", json_schema_extra={"enum": list(SYSTEMS)})]
_Within = Annotated[Text, Query(description="Where words are counted: text (title or abstract) or abstract.")]
_K = Annotated[int, Query(ge=1, le=SIZE, description="Number of documents.")]
_Model = Annotated[Text | None, Query(max_length=100, description="Short name of an embedding model.")]


class ServedTopic(BaseModel):
    """Words that represent a topic. kind: lda, itemset or concept. documents: of the collection, with all words.

    share: of the words of the abstracts (lda), or of the abstracts. quartile: frequent, rare or empty.
    """

    kind: str
    place: int
    words: list[str]
    share: float
    documents: int
    quartile: str


class ServedCoverage(BaseModel):
    """Topics of the abstracts nearest to a text. support: least share of the abstracts of itemsets and concepts."""

    text: str
    model: str
    documents: list[str] = Field(description="The docnos of the abstracts, nearest first.")
    support: float
    topics: list[ServedTopic]
    notes: list[str]


class WordsDocument(BaseModel):
    rank: int
    docno: str
    year: int | None
    title: str | None
    abstract: str | None = Field(description="Two fragments.")


class DocumentsWithWords(BaseModel):
    """The first documents with all of some words. total: number of all."""

    total: int
    documents: list[WordsDocument]


class MappedDocument(BaseModel):
    """A document on the map. cluster: its number, from 1. rel: its highest grade, if an edition is given."""

    docno: str
    title: str
    year: int | None
    venue: str | None
    x: float
    y: float
    cluster: int
    rel: int | None


class ServedMap(BaseModel):
    """Documents placed by their vectors (t-SNE), in clusters (k-means), named by their words. total: documents with a vector."""

    total: int
    clusters: list[str]
    documents: list[MappedDocument]


class TopicWithArticle(BaseModel):
    topic: str
    title: str


class DocumentsLikeArticle(BaseModel):
    topic: str
    title: str
    system: str
    documents: list[answers.Hit]


class BesideHit(BaseModel):
    """A document in the ranking of one of several systems."""

    system: str
    rank: int
    score: float
    docno: str
    title: str | None
    year: int | None
    venue: str | None


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk."""
    routes = APIRouter(responses=answers.FAULTS, generate_unique_id_function=answers.operation)
    embedding = Embedding.of(desk)

    @routes.get("/api/coverage", summary="Topics of the abstracts nearest to a text", tags=["collection"])
    async def coverage(
        text: Annotated[Text | None, Query(max_length=CHARACTERS, description="Any text; or give query.")] = None,
        query: Annotated[Text | None, Query(max_length=200, description="A stored query with a text.")] = None,
        documents: Annotated[int, Query(description="Nearest abstracts, 1 to 1,000.")] = _DEFAULT.documents,
        topics: Annotated[int, Query(description="LDA topics, 1 to 100.")] = _DEFAULT.topics,
        words: Annotated[int, Query(description="Words of a topic, 1 to 6.")] = _DEFAULT.words,
        within: _Within = _DEFAULT.within,
        common: Annotated[bool, Query(description="Keep words such as paper, method, results.")] = False,
        max_df: Annotated[
            float, Query(description="Leave out words of more than this share of the documents.", allow_inf_nan=False)
        ] = _DEFAULT.max_df,
    ) -> ServedCoverage:
        options = CoverageOptions(
            documents=documents, topics=topics, words=words, within=within, stop_words=not common, max_df=max_df
        ).checked()
        if (query is None) == (text is None or not text.strip()):
            raise refused("a coverage needs either text or query", "Example: text=gene+editing+ethics.")
        request = make_request(text or "") if query is None else (await desk.ask(stored_queries, [query]))[0]
        found = await desk.ask(get_coverage, request, options=options, store=False)
        names = await desk.ask(_docnos, found.docs)
        served = [
            ServedTopic(
                kind=kind,
                place=one.place,
                words=list(one.words),
                share=one.weight,
                documents=one.count,
                quartile=mark,
            )
            for kind in KINDS
            for one, mark in found.marked(kind)
        ]
        return ServedCoverage(
            text=found.text,
            model=found.model,
            documents=list(names.values()),
            support=found.support,
            topics=served,
            notes=found.notes,
        )

    @routes.get("/api/coverage/documents", summary="The first documents with all of some words", tags=["collection"])
    async def documents_with_words(
        word: Annotated[list[Text], Query(min_length=1, max_length=6, description="Repeatable.")], within: _Within = _DEFAULT.within
    ) -> DocumentsWithWords:
        rows, hidden = await desk.ask(_holding, word, within, desk.licences)
        found = [
            WordsDocument(
                rank=one.rank,
                docno=one.docno,
                year=one.year,
                title=one.title,
                abstract=None if one.docno in hidden else one.abstract,
            )
            for one in rows
        ]
        return DocumentsWithWords(total=rows[0].total if rows else 0, documents=found)

    @routes.get("/api/long-queries", summary="Queries that are long enough for a topic coverage", tags=["collection"])
    async def queries_for_coverage() -> list[str]:
        return [one.query for one in await desk.ask(long_queries) if one.query is not None]

    @routes.get("/api/map", summary="The map of the documents", tags=["collection"])
    async def document_map(
        edition: Annotated[Text | None, Query(max_length=200, description="Add the grades of this edition.")] = None,
        queries: Queries = ALL,
    ) -> ServedMap:
        graded = {} if edition is None else await desk.ask(_grades, edition, queries)
        found = await SharedMap.of(desk).get()
        names = await desk.ask(_docnos, [one.doc for one in found.spots])
        mapped = found.map
        spots = [
            MappedDocument(
                docno=names[one.doc],
                title=one.title,
                year=one.year,
                venue=one.venue,
                x=float(mapped.places[one.place][0]),
                y=float(mapped.places[one.place][1]),
                cluster=int(mapped.clusters[one.place]) + 1,
                rel=graded.get(one.doc),
            )
            for one in found.spots
            if one.doc in names
        ]
        return ServedMap(total=mapped.total, clusters=list(mapped.names), documents=spots)

    @routes.get("/api/articles", summary="Topics with an article", tags=["search"])
    async def articles() -> list[TopicWithArticle]:
        return [TopicWithArticle(topic=topic, title=title) for topic, title in await desk.ask(topics_with_article)]

    @routes.get("/api/articles/{topic}/documents", summary="The documents most like the article of a topic", tags=["search"])
    async def documents_like_article(
        topic: Annotated[Text, Path(max_length=200)], system: _System = "hybrid", k: _K = 10, model: _Model = None
    ) -> DocumentsLikeArticle:
        if system in EMBEDDING:
            await embedding.remember_article(desk, topic, model)
        title, found = await desk.ask(_like_article, topic, system=system, k=k, model=model, licences=desk.licences)
        hits = [answers.Hit.model_validate(vars(one)) for one in found]
        return DocumentsLikeArticle(topic=topic, title=title, system=system, documents=hits)

    @routes.get("/api/search/systems", summary="The rankings of several systems side by side", tags=["search"])
    async def search_systems(
        q: Annotated[Text, Query(max_length=CHARACTERS, description="The query.")],
        system: Annotated[list[Text], Query(min_length=1, max_length=len(SYSTEMS), description="A retrieval system. Repeatable.")],
        k: _K = 10,
        model: _Model = None,
    ) -> list[BesideHit]:
        first, *others = dict.fromkeys(system)
        if not others:
            raise refused(f"system is only {first[:40]!r}", "Give several; /api/search searches by one system.")
        dense = not EMBEDDING.isdisjoint(system)
        vector = await embedding.vector(q, model) if dense and q.strip() else None
        return [
            BesideHit.model_validate(vars(one) | {"system": each})
            for each in (first, *others)
            for one in await desk.ask(search, q, system=each, k=k, model=model, vector=vector)
        ]

    return routes


def _docnos(conn: psycopg.Connection, docs: Sequence[int]) -> dict[int, str]:
    """Return the docno of each dblp.id that exists, in the given order."""
    rows = conn.execute(
        "SELECT d.id, d.docno FROM unnest(%s::bigint[]) WITH ORDINALITY g (id, place) JOIN dblp d USING (id) ORDER BY g.place",
        [list(docs)],
    )
    return dict(rows.fetchall())


def _grades(conn: psycopg.Connection, edition: str, queries: str) -> dict[int, int]:
    """Return the highest grade of each judged document. :raises UnknownObject: the edition or a query does not exist."""
    conn.execute("SELECT stc.edition_key(%s)", [edition])
    return grades(conn, edition, queries)


def _holding(
    conn: psycopg.Connection, words: Sequence[str], within: str, licences: Sequence[str]
) -> tuple[list[WordDocument], set[str]]:
    rows = find_documents(conn, words, within=within)
    return rows, unlicensed(conn, [one.docno for one in rows], licences)


def _like_article(
    conn: psycopg.Connection, topic: str, *, system: str, k: int, model: str | None, licences: Sequence[str]
) -> tuple[str, list[FoundDocument]]:
    """Return the title of an article, and the documents most like it."""
    found = search_article(conn, topic, system=system, k=k, model=model, embedded=True, licences=licences)
    return topic_article(conn, topic).title or topic, found
