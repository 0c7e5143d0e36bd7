"""The routes of the map of the documents, of articles, and of several systems side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import psycopg
from fastapi import APIRouter, Path, Query

from stcollection.analysis.map.documents import Spot, grades
from stcollection.http import answers
from stcollection.http.declared import LISTED_BY, SYSTEMS
from stcollection.http.limits import CHARACTERS, SIZE, refused
from stcollection.http.parameters import Queries, Text
from stcollection.http.records import answer, listed, served
from stcollection.retrieval.search import FoundDocument, search, search_article
from stcollection.topics.articles import topic_article, topics_with_article
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding, needed
from stcollection.web.maps import SharedMap

_SYSTEMS = 20  # rankings side by side
_LISTED = {LISTED_BY: SYSTEMS}
_System = Annotated[Text, Query(max_length=CHARACTERS, description="The retrieval system.", json_schema_extra=_LISTED)]
_K = Annotated[int, Query(ge=1, le=SIZE, description="Number of documents.")]
_Model = Annotated[Text | None, Query(max_length=100, description="Short name of an embedding model.")]


#: A document on the map. cluster: its number, from 1. rel: its highest grade, if an edition is given.
MappedDocument = served(Spot, omit=("place", "doc"), docno=str, x=float, y=float, cluster=int, rel=int | None)
ServedMap = answer(
    "ServedMap",
    "Documents placed by their vectors (t-SNE), in clusters (k-means), named by their words. total: documents with a vector.",
    total=int,
    clusters=list[str],
    documents=list.__class_getitem__(MappedDocument),
)
TopicWithArticle = answer("TopicWithArticle", "A topic with an article.", topic=str, title=str)
DocumentsLikeArticle = answer(
    "DocumentsLikeArticle",
    "The documents most like the article of a topic.",
    topic=str,
    title=str,
    system=str,
    documents=list.__class_getitem__(answers.Hit),
)
#: A document in the ranking of one of several systems.
BesideHits = listed(FoundDocument, omit=("doc", "citations", "snippet"), system=str)


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk."""
    routes = APIRouter(responses=answers.FAULTS, generate_unique_id_function=answers.operation)
    embedding = Embedding.of(desk)

    @routes.get("/api/map", summary="The map of the documents", tags=["collection"], response_model=ServedMap)
    async def document_map(
        edition: Annotated[Text | None, Query(max_length=200, description="Add the grades of this edition.")] = None,
        queries: Queries = ALL,
    ) -> dict[str, Any]:
        graded = {} if edition is None else await desk.ask(_grades, edition, queries)
        shared = await SharedMap.of(desk).get()
        names = await desk.ask(docnos_of, [spot.doc for spot in shared.spots])
        mapped = shared.map
        spots = [
            spot._asdict()
            | {
                "docno": names[spot.doc],
                "x": float(mapped.places[spot.place][0]),
                "y": float(mapped.places[spot.place][1]),
                "cluster": int(mapped.clusters[spot.place]) + 1,
                "rel": graded.get(spot.doc),
            }
            for spot in shared.spots
            if spot.doc in names
        ]
        return {"total": mapped.total, "clusters": list(mapped.names), "documents": spots}

    @routes.get(
        "/api/articles",
        summary="Topics with an article",
        tags=["search"],
        response_model=list.__class_getitem__(TopicWithArticle),
    )
    async def articles() -> list[dict[str, str]]:
        return [{"topic": topic, "title": title} for topic, title in await desk.ask(topics_with_article)]

    @routes.get(
        "/api/articles/{topic}/documents",
        summary="The documents most like the article of a topic",
        tags=["search"],
        response_model=DocumentsLikeArticle,
    )
    async def documents_like_article(
        topic: Annotated[Text, Path(max_length=200)], system: _System = "hybrid", k: _K = 10, model: _Model = None
    ) -> dict[str, Any]:
        if await needed(desk, system):
            await embedding.remember_article(desk, topic, model)
        title, documents = await desk.ask(_like_article, topic, system=system, k=k, model=model, licences=desk.licences)
        return {"topic": topic, "title": title, "system": system, "documents": documents}

    @routes.get(
        "/api/search/systems",
        summary="The rankings of several systems side by side",
        tags=["search"],
        response_model=BesideHits,
    )
    async def search_systems(
        q: Annotated[Text, Query(max_length=CHARACTERS, description="The query.")],
        system: Annotated[
            list[Text],
            Query(
                min_length=1,
                max_length=_SYSTEMS,
                description="A retrieval system. Repeatable.",
                json_schema_extra=_LISTED,
            ),
        ],
        k: _K = 10,
        model: _Model = None,
    ) -> list[dict[str, Any]]:
        first, *others = dict.fromkeys(system)
        if not others:
            raise refused(f"system is only {first[:40]!r}", "Give several; /api/search searches by one system.")
        dense = q.strip() and await needed(desk, *system)
        vectors = await embedding.vectors(q, model, system) if dense else {}
        return [
            vars(document) | {"system": each}
            for each in (first, *others)
            for document in await desk.ask(search, q, system=each, k=k, model=model, vector=vectors.get(each))
        ]

    return routes


def docnos_of(conn: psycopg.Connection, docs: Sequence[int]) -> dict[int, str]:
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


def _like_article(
    conn: psycopg.Connection, topic: str, *, system: str, k: int, model: str | None, licences: Sequence[str]
) -> tuple[str, list[FoundDocument]]:
    """Return the title of an article, and the documents most like it."""
    found = search_article(conn, topic, system=system, k=k, model=model, embedded=True, licences=licences)
    return topic_article(conn, topic).title or topic, found
