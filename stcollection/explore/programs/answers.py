"""What the search service answers, as OpenAPI describes it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field


class QueryFault(BaseModel):
    message: str = Field(description="What happened, with which value.")
    hint: str | None = Field(None, description="What to do next.")
    sqlstate: str | None = Field(None, description="PostgreSQL's five characters; those of class IR are this collection's.")


class FailedSearch(BaseModel):
    error: QueryFault


class Hit(BaseModel):
    """A document found."""

    rank: int = Field(description="From 1, also behind an offset.")
    score: float
    docno: str
    year: int | None
    venue: str | None
    citations: int | None
    title: str | None
    snippet: str | None = Field(description="The sentence of the abstract with the most words of the query.")


class Hits(BaseModel):
    """The documents that a system ranks best for a query, best first."""

    query: str
    system: str
    filter: dict[str, Any] | None
    documents: list[Hit]


class ServedDocument(BaseModel):
    """A document as it was loaded, with title and abstract as text."""

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
    """The documents nearest to one, which is not among them."""

    docno: str
    field: str
    documents: list[Neighbour]


class ServedRun(BaseModel):
    """A stored run. depth: of its longest ranking."""

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
    """An edition of the judgments: one a query and document."""

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
    """A run's means; null for a measure that it has none of."""

    run: str
    values: dict[str, float | None]


class Leaderboard(BaseModel):
    """Runs, the best by the first measure first."""

    edition: str
    measures: list[str]
    runs: list[ServedStanding]


class Nearest(BaseModel):
    """A document near to a phrase. score: the cosine. distance: its negative, as pgvector's <#> has it."""

    rank: int
    id: str
    score: float
    distance: float
    title: str | None
