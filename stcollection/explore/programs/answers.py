"""Response models of the search service, which OpenAPI describes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field


class QueryFault(BaseModel):
    message: str = Field(description="What is wrong, with the value.")
    hint: str | None = Field(None, description="The next step.")
    sqlstate: str | None = Field(None, description="PostgreSQL's five-character code; class IR is this collection's own.")


class FailedSearch(BaseModel):
    error: QueryFault


class Hit(BaseModel):
    """A retrieved document."""

    rank: int = Field(description="Rank in the whole ranking, from 1.")
    score: float
    docno: str
    year: int | None
    venue: str | None
    citations: int | None
    title: str | None
    snippet: str | None = Field(description="Sentence of the abstract with most words of the query.")


class Hits(BaseModel):
    """The top documents of a system for a query, best first."""

    query: str
    system: str
    filter: dict[str, Any] | None
    documents: list[Hit]


class ServedDocument(BaseModel):
    """A document as loaded, with title and abstract as text."""

    docno: str
    document: dict[str, Any]


class Neighbour(BaseModel):
    """One nearest neighbour.

    :param score: the cosine.
    """

    rank: int
    score: float
    docno: str
    title: str | None


class Neighbours(BaseModel):
    """The nearest neighbours of a document, without the document itself."""

    docno: str
    field: str
    documents: list[Neighbour]


class ServedRun(BaseModel):
    """A stored run. depth: length of its longest ranking."""

    run: str
    team: str | None
    tag: str | None
    manual: bool
    family: str | None
    queries: int
    ranked: int
    depth: int
    source: str | None
    made: datetime


class Edition(BaseModel):
    """An edition of the qrels: at most one judgment per query and document."""

    edition: str
    description: str | None
    queries: int
    judgments: int
    grades: dict[str, int]
    split: str | None
    year: int | None
    sealed: datetime | None
    fingerprint: str | None


class ServedStanding(BaseModel):
    """A run's means; null for a measure without a value."""

    run: str
    values: dict[str, float | None]


class Leaderboard(BaseModel):
    """Runs, sorted by the first measure, best first."""

    edition: str
    measures: list[str]
    runs: list[ServedStanding]


class Nearest(BaseModel):
    """A document similar to a phrase. score: the cosine. distance: the negative cosine, as pgvector's <#> returns it."""

    rank: int
    id: str
    score: float
    distance: float
    title: str | None
