"""The routes of topic coverage, of the map of the documents, of articles, and of several systems side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import psycopg
from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from stcollection.analysis.map.documents import grades
from stcollection.explore.coverage.asking import Work, find, holding
from stcollection.explore.search import article, asking
from stcollection.explore.search.asking import RankedBeside, SearchRequest, Shown
from stcollection.http import answers
from stcollection.http.limits import CHARACTERS, SIZE, refused
from stcollection.http.parameters import Queries, Text
from stcollection.http.service import unlicensed
from stcollection.retrieval import SYSTEMS
from stcollection.studies.coverage.records import KINDS, CoverageOptions, WordDocument, marks
from stcollection.studies.coverage.store import a_text, long_queries, stored_queries
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding
from stcollection.web.maps import SharedMap

_MARKS = re.compile("[\ue000\ue001]")
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


class ArticleHit(BaseModel):
    """A document like an article."""

    rank: int
    score: float
    docno: str | None
    year: int | None
    venue: str | None
    citations: int | None
    title: str | None
    snippet: str | None


class DocumentsLikeArticle(BaseModel):
    topic: str
    title: str
    system: str
    documents: list[ArticleHit]


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
        request = a_text(text or "") if query is None else (await desk.ask(stored_queries, [query]))[0]
        found = await desk.ask(find, request, options, Work())
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
            for one, mark in zip(found.of(kind), marks([one.count for one in found.of(kind)]), strict=True)
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
                title=_plain(one.title),
                abstract=None if one.docno in hidden else _plain(one.abstract),
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
        return [TopicWithArticle(topic=topic, title=title) for topic, title in await desk.ask(article.topics_with_article)]

    @routes.get("/api/articles/{topic}/documents", summary="The documents most like the article of a topic", tags=["search"])
    async def documents_like_article(
        topic: Annotated[Text, Path(max_length=200)], system: _System = "hybrid", k: _K = 10, model: _Model = None
    ) -> DocumentsLikeArticle:
        asked = SearchRequest(text="", system=system, k=k, filter=None, model=model)
        for text in await desk.ask(article.unembedded_chunks, topic, model) if asked.dense else ():
            await desk.write(asking.remember, text, model, await embedding.vector(text, model))
        title, rows, hidden = await desk.ask(_like_article, topic, asked, desk.licences)
        hits = [
            ArticleHit(
                rank=one.rank,
                score=one.score,
                docno=one.docno,
                year=one.year,
                venue=one.venue,
                citations=one.citations,
                title=_plain(one.title),
                snippet=None if one.docno in hidden else _plain(one.snippet),
            )
            for one in rows
        ]
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
        asked = SearchRequest(text=q, system=first, k=k, filter=None, model=model, beside=tuple(others))
        vector = await embedding.vector(q, model) if asked.dense and q.strip() else None
        found = await desk.ask(asking.find, asked, vector)
        return [_beside(one) for one in found.beside]

    return routes


def _beside(one: RankedBeside) -> BesideHit:
    return BesideHit(
        system=one.system,
        rank=one.rank,
        score=one.score,
        docno=one.docno,
        title=_plain(one.title),
        year=one.year,
        venue=one.venue,
    )


def _plain(text: str | None) -> str | None:
    """Return a text without marks of words."""
    return None if text is None else _MARKS.sub("", text)


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
    rows, _ = holding(conn, words, within)
    return rows, unlicensed(conn, [one.docno for one in rows], licences)


def _like_article(
    conn: psycopg.Connection, topic: str, asked: SearchRequest, licences: Sequence[str]
) -> tuple[str, list[Shown], set[str]]:
    title, rows = article.like_article(conn, topic, asked)
    return title, rows, unlicensed(conn, [one.docno for one in rows if one.docno], licences)
