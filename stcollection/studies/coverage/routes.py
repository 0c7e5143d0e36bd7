"""The routes of topic coverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import psycopg
from fastapi import APIRouter, Query

from stcollection.http import answers
from stcollection.http.limits import CHARACTERS, refused
from stcollection.http.parameters import Text
from stcollection.http.records import answer, listed, served
from stcollection.http.service import unlicensed
from stcollection.http.topics import docnos_of
from stcollection.studies.coverage.cover import find_documents
from stcollection.studies.coverage.records import KINDS, CoverageOptions, Topic, WordDocument
from stcollection.studies.coverage.store import get_coverage, long_queries, make_request, stored_queries
from stcollection.web.desk import Desk

_DEFAULT = CoverageOptions()
_Within = Annotated[Text, Query(description="Where words are counted: text (title or abstract) or abstract.")]

#: Words that represent a topic.
ServedTopic = served(Topic, omit=("weight", "count"), share=float, documents=int, quartile=str)
ServedCoverage = answer(
    "ServedCoverage",
    "Topics of the abstracts nearest to a text. documents: docnos of the abstracts, nearest first. support: least share of the "
    "abstracts of itemsets and concepts. quartile: frequent, rare or empty.",
    text=str,
    model=str,
    documents=list[str],
    support=float,
    topics=list.__class_getitem__(ServedTopic),
    notes=list[str],
)
DocumentsWithWords = answer(
    "DocumentsWithWords",
    "The first documents with all of some words. total: number of all.",
    total=int,
    documents=listed(WordDocument, omit=("total",)),
)


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk."""
    routes = APIRouter(responses=answers.FAULTS, generate_unique_id_function=answers.operation)

    @routes.get(
        "/api/coverage",
        summary="Topics of the abstracts nearest to a text",
        tags=["collection"],
        response_model=ServedCoverage,
    )
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
    ) -> dict[str, Any]:
        options = CoverageOptions(
            documents=documents, topics=topics, words=words, within=within, stop_words=not common, max_df=max_df
        ).checked()
        if (query is None) == (text is None or not text.strip()):
            raise refused("a coverage needs either text or query", "Example: text=gene+editing+ethics.")
        request = make_request(text or "") if query is None else (await desk.ask(stored_queries, [query]))[0]
        covered = await desk.ask(get_coverage, request, options=options, store=False)
        names = await desk.ask(docnos_of, covered.docs)
        marked = [
            vars(topic) | {"share": topic.weight, "documents": topic.count, "quartile": mark}
            for kind in KINDS
            for topic, mark in covered.marked(kind)
        ]
        return vars(covered) | {"documents": list(names.values()), "topics": marked}

    @routes.get(
        "/api/coverage/documents",
        summary="The first documents with all of some words",
        tags=["collection"],
        response_model=DocumentsWithWords,
    )
    async def documents_with_words(
        word: Annotated[list[Text], Query(min_length=1, max_length=6, description="Repeatable.")], within: _Within = _DEFAULT.within
    ) -> dict[str, Any]:
        rows, hidden = await desk.ask(_holding, word, within, desk.licences)
        documents = [row._replace(abstract=None) if row.docno in hidden else row for row in rows]
        return {"total": rows[0].total if rows else 0, "documents": documents}

    @routes.get("/api/long-queries", summary="Queries that are long enough for a topic coverage", tags=["collection"])
    async def queries_for_coverage() -> list[str]:
        return [request.query for request in await desk.ask(long_queries) if request.query is not None]

    return routes


def _holding(
    conn: psycopg.Connection, words: Sequence[str], within: str, licences: Sequence[str]
) -> tuple[list[WordDocument], set[str]]:
    rows = find_documents(conn, words, within=within)
    return rows, unlicensed(conn, [one.docno for one in rows], licences)
