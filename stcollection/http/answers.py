"""Response models of the search service, which OpenAPI describes, and the names of its operations."""

from __future__ import annotations

from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel, Field

from stcollection.analysis.drill import QueryScore
from stcollection.analysis.run_card import EditionScores, QueryValue, RunFacts
from stcollection.analysis.significance import RunComparison
from stcollection.evaluation.judging import JudgingRun
from stcollection.evaluation.score import Score
from stcollection.http.records import answer, listed, served
from stcollection.retrieval.search import FoundDocument
from stcollection.runs.receive import RunReceipt


class QueryFault(BaseModel):
    message: str = Field(description="What is wrong, with the value.")
    hint: str | None = Field(None, description="The next step.")
    sqlstate: str | None = Field(None, description="PostgreSQL's five-character code; class IR is this collection's own.")


class FailedSearch(BaseModel):
    error: QueryFault


_RANKED = ("doc", "year", "venue", "citations", "snippet")  # fields of a found document that a list of neighbours omits
#: A retrieved document.
Hit = served(FoundDocument, omit=("doc",))
Hits = answer(
    "Hits",
    "The top documents of a system for a query, best first.",
    query=str,
    system=str,
    filter=dict[str, Any] | None,
    documents=list.__class_getitem__(Hit),
    note=str | None,
)
Neighbours = answer(
    "Neighbours",
    "The nearest neighbours of a document, without the document itself. score: the cosine.",
    docno=str,
    field=str,
    documents=listed(FoundDocument, omit=_RANKED),
)
#: A document as loaded, with title and abstract as text.
ServedDocument = answer("ServedDocument", "A document as loaded.", docno=str, document=dict[str, Any])


class ServedStanding(BaseModel):
    """A run's means; null for a measure without a value."""

    run: str
    values: dict[str, float | None]


class Leaderboard(BaseModel):
    """Runs, sorted by the first measure, best first. judging: runs that the labels of the edition may favour."""

    edition: str
    measures: list[str]
    runs: list[ServedStanding]
    judging: listed(JudgingRun)  # type: ignore[valid-type]


class ServedQuery(BaseModel):
    query: str
    topic: str | None
    text: str | None
    type: str | None
    origin: str | None


class ServedJudgment(BaseModel):
    """A judgment; of a document there can be one by each annotator."""

    docno: str
    rel: int
    origin: str
    annotator: str | None


#: A run's means in an edition, with the values of nDCG@10 by query, best first.
ServedMeans = served(EditionScores, by_query=listed(QueryValue))
#: A run with its provenance, and its means in each edition. receipts: null for roles that cannot see them.
ServedCard = served(RunFacts, omit=("commit",), scores=list.__class_getitem__(ServedMeans), receipts=listed(RunReceipt) | None)


#: The values of runs on queries.
ServedScores = listed(Score, omit=("measure",), measure=str)
#: Two runs, compared by a paired t-test, with the interval of the difference (confidence .95). The largest gain is first.
ComparedRuns = served(
    RunComparison,
    omit=("queries", "d", "g", "corrected"),
    edition=str,
    by_query=listed(QueryScore, omit=("origin", "mean")),
)


class Nearest(BaseModel):
    """A document similar to a phrase. score: the cosine. distance: the negative cosine, as pgvector's <#> returns it."""

    rank: int
    id: str
    score: float
    distance: float
    title: str | None


FAULTS: dict[int | str, dict[str, Any]] = {
    400: {"model": FailedSearch, "description": "A parameter is malformed or out of range."},
    404: {"model": FailedSearch, "description": "The document, run, edition or system does not exist."},
    409: {"model": FailedSearch, "description": "The collection lacks a required index or vectors."},
    503: {"model": FailedSearch, "description": "The request took too long, or all connections are in use."},
}


WRITE_FAULTS: dict[int | str, dict[str, Any]] = FAULTS | {
    403: {"model": FailedSearch, "description": "The login or the invitation lacks the right."},
    409: {"model": FailedSearch, "description": "The collection has changed, or lacks something that the request needs."},
    413: {"model": FailedSearch, "description": "The body is too large."},
    415: {"model": FailedSearch, "description": "The body has another type than the endpoint reads."},
}


def operation(route: APIRoute) -> str:
    """Return the name of a route's function, by which generated clients call it."""
    return route.name
