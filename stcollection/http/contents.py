"""The routes of the collection's contents: counts, files, indexes, problems, and groups of answers."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import psycopg
from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from stcollection.analysis.contents import corpus, indexes, overview
from stcollection.http import answers
from stcollection.http.parameters import Name, Text, number
from stcollection.http.service import unlicensed
from stcollection.plots.clusters import AnswerGraph, answer_rows, relation_rows
from stcollection.qrels.simulated import collection_note
from stcollection.studies.answers.graph import graph, grouped_queries, grouped_runs
from stcollection.web.desk import Desk


class YearDocuments(BaseModel):
    year: int
    documents: int


class ServedIndex(BaseModel):
    """Vectors of a field by a model, and their index; null without an index. rows_now: vectors; rows: when it was built."""

    model: str
    field: str
    kind: str | None
    recall: float | None
    rows: int | None
    rows_now: int
    bytes: int | None
    stale: bool | None
    built: datetime | None
    advice: str | None


class ServedContents(BaseModel):
    """What is stored. counts, readability: numbers by name. text: state of the text index. files: rows of the ledger."""

    counts: dict[str, int]
    years: list[YearDocuments]
    files: list[dict[str, Any]]
    text: dict[str, Any]
    vectors: list[ServedIndex]
    readability: dict[str, int]


class ServedAnnotator(BaseModel):
    """Judgments by an annotator in editions that are not hidden."""

    annotator: str | None
    origin: str
    editions: list[str]
    judgments: int


class ServedProblem(BaseModel):
    """Something to repair. action: the command that repairs it."""

    what: str
    action: str | None


class ServedOverview(BaseModel):
    """A collection at a glance. estimated: the counts that are. simulated: which judgments and grades are simulated."""

    counts: dict[str, int]
    estimated: list[str]
    queries: int
    topics: int
    first_year: int | None
    last_year: int | None
    runs: int
    pools: int
    annotators: list[ServedAnnotator]
    problems: list[ServedProblem]
    simulated: str | None


class ServedAnswer(BaseModel):
    """An answer. returned: the documents of its group are returned. relevant: null if that is not known or hidden."""

    group: int
    docno: str
    text: str | None = Field(description="null without a licence that this server has to respect.")
    returned: bool
    relevant: bool | None


class ServedRelation(BaseModel):
    """A relation of two answers. relation: support or contradiction."""

    relation: str
    docno: str
    text: str | None
    other_docno: str
    other_text: str | None
    probability: float


class ServedAnswerGraph(BaseModel):
    """Groups of answers that agree, best first, and the relations between answers."""

    run: str
    query: str
    answers: list[ServedAnswer]
    relations: list[ServedRelation]


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk."""
    routes = APIRouter(responses=answers.FAULTS, tags=["collection"], generate_unique_id_function=answers.operation)

    @routes.get("/api/overview", summary="The collection at a glance, and what to repair")
    async def collection_overview() -> ServedOverview:
        found = await desk.ask(overview)
        return ServedOverview(
            counts={"documents": found.size.documents, "abstracts": found.size.abstracts},
            estimated=["abstracts"] if found.size.estimated else [],
            queries=found.queries,
            topics=found.topics,
            first_year=found.years[0],
            last_year=found.years[1],
            runs=found.runs,
            pools=len(found.pools),
            annotators=[ServedAnnotator.model_validate(one._asdict()) for one in found.judges],
            problems=[ServedProblem(what=one.what.format(**one.values), action=one.action) for one in found.problems],
            simulated=await desk.ask(collection_note),
        )

    @routes.get("/api/contents", summary="Documents, loaded files and indexes")
    async def collection_contents() -> ServedContents:
        documents, built = await desk.ask(corpus), await desk.ask(indexes)
        headers, rows = documents.files
        return ServedContents(
            counts=documents.counts,
            years=[YearDocuments(year=year, documents=count) for year, count in documents.years],
            files=[dict(zip(headers, map(number, row), strict=True)) for row in rows],
            text=built.text,
            vectors=[ServedIndex.model_validate(asdict(one)) for one in built.vectors],
            readability={what: count for what, count, _ in built.readability},
        )

    @routes.get("/api/answer-runs", summary="Runs that group answers")
    async def answer_runs() -> list[str]:
        return await desk.ask(grouped_runs)

    @routes.get("/api/answer-queries", summary="Queries of a run with groups of answers")
    async def answer_queries(
        run: Name,
        words: Annotated[Text, Query(max_length=500, description="Only queries with this text.")] = "",
        most: Annotated[int, Query(ge=1, le=10_000, description="Number of queries.")] = 200,
    ) -> list[str]:
        return await desk.ask(grouped_queries, run, words=words, most=most)

    @routes.get("/api/answers", summary="Groups of answers to a query, with supports and contradictions")
    async def grouped_answers(
        run: Name, query: Annotated[Text, Query(max_length=10_000, description="Text of the query.")]
    ) -> ServedAnswerGraph:
        found, hidden = await desk.ask(_graph, run, query, desk.licences)

        def licensed(docno: str, text: str) -> str | None:
            return None if docno in hidden else text

        return ServedAnswerGraph(
            run=run,
            query=query,
            answers=[
                ServedAnswer(group=group, docno=docno, text=licensed(docno, text), returned=returned, relevant=relevant)
                for group, _, docno, text, returned, relevant in answer_rows(found)
            ],
            relations=[
                ServedRelation(
                    relation=kind,
                    docno=docno,
                    text=licensed(docno, text),
                    other_docno=other_docno,
                    other_text=licensed(other_docno, other_text),
                    probability=probability,
                )
                for kind, docno, text, other_docno, other_text, probability in relation_rows(found)
            ],
        )

    return routes


def _graph(conn: psycopg.Connection, run: str, query: str, licences: tuple[str, ...]) -> tuple[AnswerGraph, set[str]]:
    """Return a graph, and its documents that have none of the licences."""
    found = graph(conn, run, query)
    return found, unlicensed(conn, [docno for _, _, docno, *_ in answer_rows(found)], licences)
