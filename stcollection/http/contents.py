"""The routes of the collection's contents: counts, files, indexes and problems."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from stcollection.analysis.contents import AnnotatorCounts, Repair, corpus, indexes, overview
from stcollection.http import answers
from stcollection.http.parameters import number
from stcollection.http.records import answer, listed
from stcollection.qrels.simulated import collection_note
from stcollection.vectors.audit import Status
from stcollection.web.desk import Desk

_INDEX_SETTINGS = ("half", "bits", "lists", "m", "ef_construction", "effort", "recall_k", "audited")
ServedContents = answer(
    "ServedContents",
    "What is stored. counts, readability: numbers by name. text: state of the text index. files: rows of the ledger.",
    counts=dict[str, int],
    years=list.__class_getitem__(answer("YearDocuments", "Documents of a year.", year=int, documents=int)),
    files=list[dict[str, Any]],
    text=dict[str, Any],
    vectors=listed(Status, omit=_INDEX_SETTINGS),
    readability=dict[str, int],
)
ServedOverview = answer(
    "ServedOverview",
    "A collection at a glance. estimated: the counts that are. simulated: which judgments and grades are simulated.",
    counts=dict[str, int],
    estimated=list[str],
    queries=int,
    topics=int,
    first_year=int | None,
    last_year=int | None,
    runs=int,
    pools=int,
    annotators=listed(AnnotatorCounts),
    problems=listed(Repair, omit=("values",)),
    simulated=str | None,
)


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk."""
    routes = APIRouter(responses=answers.FAULTS, tags=["collection"], generate_unique_id_function=answers.operation)

    @routes.get("/api/overview", summary="The collection at a glance, and what to repair", response_model=ServedOverview)
    async def collection_overview() -> dict[str, Any]:
        seen = await desk.ask(overview)
        return {
            "counts": {"documents": seen.size.documents, "abstracts": seen.size.abstracts},
            "estimated": ["abstracts"] if seen.size.estimated else [],
            "queries": seen.queries,
            "topics": seen.topics,
            "first_year": seen.years[0],
            "last_year": seen.years[1],
            "runs": seen.runs,
            "pools": len(seen.pools),
            "annotators": seen.judges,
            "problems": [problem._replace(what=str(problem)) for problem in seen.problems],
            "simulated": await desk.ask(collection_note),
        }

    @routes.get("/api/contents", summary="Documents, loaded files and indexes", response_model=ServedContents)
    async def collection_contents() -> dict[str, Any]:
        documents, built = await desk.ask(corpus), await desk.ask(indexes)
        headers, rows = documents.files
        return {
            "counts": documents.counts,
            "years": [{"year": year, "documents": count} for year, count in documents.years],
            "files": [dict(zip(headers, map(number, row), strict=True)) for row in rows],
            "text": built.text,
            "vectors": built.vectors,
            "readability": {what: count for what, count, _ in built.readability},
        }

    return routes
