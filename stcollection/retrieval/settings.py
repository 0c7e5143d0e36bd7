"""The parameters of a run, and the texts that it searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from psycopg.types.json import Jsonb

from stcollection.declared import AllowedRange, Option
from stcollection.retrieval.filters import Filter
from stcollection.topics.sets import ALL

QueryFrom = Literal["query", "article"]
CHUNK = 64  # words
ChunkWords = Annotated[
    int,
    AllowedRange(ge=0, le=1000),
    Option(metavar="WORDS", help="With an article: maximum number of words per chunk; 0 searches sentences."),
]


@dataclass(frozen=True, kw_only=True)
class QuerySource:
    """The texts that a run searches.

    :param query_from: ``query`` for the text of each query, ``article`` for the article of its topic.
    :param chunk: maximum number of words of the chunks in which an article is searched; 0 searches sentences.
    """

    query_from: str = "query"
    chunk: int = CHUNK

    @property
    def of_articles(self) -> bool:
        return self.query_from == "article"


OF_QUERIES = QuerySource()


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """The parameters of a run.

    :param model: short name of an embedding model; None uses the collection's default.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :param exact: compare all queries with all vectors in one pass (:mod:`~stcollection.retrieval.exact`).
    :param scored_by: the cross-encoders of the system's stages, by place; None: it has none.
    """

    name: str
    system: str
    depth: int
    team: str | None
    replace: bool
    filter: Filter | None
    model: str | None
    queries: str = ALL
    source: QuerySource = OF_QUERIES
    exact: bool = False
    scored_by: dict[str, Any] | None = None

    @property
    def arguments(self) -> list[object]:
        """The arguments of make_run, and of resume_run before exact and scored_by."""
        given = None if self.filter is None else Jsonb(self.filter)
        source = [self.queries, self.source.query_from, self.source.chunk]
        return [self.name, self.system, self.depth, self.team, self.replace, given, self.model, *source]
