"""The routes of groups of answers."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import psycopg
from fastapi import APIRouter, Query
from pydantic import Field

from stcollection.http import answers
from stcollection.http.declared import read_route
from stcollection.http.parameters import Name, Text
from stcollection.http.records import answer
from stcollection.http.service import unlicensed
from stcollection.studies.answers.drawing import AnswerGraph, answer_rows, relation_rows
from stcollection.studies.answers.graph import graph, grouped_queries, grouped_runs
from stcollection.web.desk import Desk

_TEXT = Annotated[str | None, Field(description="null without a licence that this server has to respect.")]
ServedAnswer = answer(
    "ServedAnswer",
    "An answer. returned: the documents of its group are returned. relevant: null if that is not known or hidden.",
    group=int,
    docno=str,
    text=_TEXT,
    returned=bool,
    relevant=bool | None,
)
ServedRelation = answer(
    "ServedRelation",
    "A relation of two answers. relation: support or contradiction.",
    relation=str,
    docno=str,
    text=_TEXT,
    other_docno=str,
    other_text=_TEXT,
    probability=float,
)
ServedAnswerGraph = answer(
    "ServedAnswerGraph",
    "Groups of answers that agree, best first, and the relations between answers.",
    run=str,
    query=str,
    answers=list.__class_getitem__(ServedAnswer),
    relations=list.__class_getitem__(ServedRelation),
)


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk."""
    routes = APIRouter(responses=answers.FAULTS, tags=["collection"], generate_unique_id_function=answers.operation)
    read = partial(read_route, routes, desk)
    read("/api/answer-runs", grouped_runs, name="answer_runs", summary="Runs that group answers")
    read(
        "/api/answer-queries",
        grouped_queries,
        name="answer_queries",
        summary="Queries of a run with groups of answers",
        most={"words": 500, "most": 10_000},
    )

    @routes.get(
        "/api/answers",
        summary="Groups of answers to a query, with supports and contradictions",
        response_model=ServedAnswerGraph,
    )
    async def grouped_answers(
        run: Name, query: Annotated[Text, Query(max_length=10_000, description="Text of the query.")]
    ) -> dict[str, Any]:
        grouped, hidden = await desk.ask(_graph, run, query, desk.licences)
        names = ("group", "docno", "text", "returned", "relevant")
        rows = [dict(zip(names, (row[0], *row[2:]), strict=True)) for row in answer_rows(grouped)]
        relations = [dict(zip(ServedRelation.model_fields, row, strict=True)) for row in relation_rows(grouped)]
        for row in (*rows, *relations):
            row |= {f"{side}text": None for side in ("", "other_") if row.get(f"{side}docno") in hidden}
        return {"run": run, "query": query, "answers": rows, "relations": relations}

    return routes


def _graph(conn: psycopg.Connection, run: str, query: str, licences: tuple[str, ...]) -> tuple[AnswerGraph, set[str]]:
    """Return a graph, and its documents that have none of the licences."""
    found = graph(conn, run, query)
    return found, unlicensed(conn, [docno for _, _, docno, *_ in answer_rows(found)], licences)
