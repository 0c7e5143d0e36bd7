"""Make a run and compute its stored ranks, so that the first scoring does not wait."""

from __future__ import annotations

from typing import Annotated

import psycopg

from stcollection.declared import AllowedRange, Option, declare
from stcollection.evaluation.parameters import QuerySet, set_of
from stcollection.evaluation.score import judge_new
from stcollection.retrieval.batches import Progress
from stcollection.retrieval.filters import Filter, TypedFilter, read_filter
from stcollection.retrieval.run import Ran, run
from stcollection.retrieval.search import EmbeddingModel
from stcollection.retrieval.settings import CHUNK, OF_QUERIES, ChunkWords, QueryFrom, QuerySource
from stcollection.topics.sets import ALL


def default_name(system: str, source: QuerySource = OF_QUERIES) -> str:
    """Return the name of a run of a system: the system, with -article if articles are searched."""
    return f"{system}-article" if source.of_articles else system


@declare
def make_run(
    conn: psycopg.Connection,
    system: Annotated[str, Option("SYSTEM", completed="systems")],
    name: Annotated[str | None, Option(metavar="NAME", default="the system, with -article if articles are searched")] = None,
    *,
    depth: Annotated[int, AllowedRange(ge=1)] = 1000,
    team: str | None = None,
    replace: bool = False,
    model: EmbeddingModel = None,
    queries: QuerySet = ALL,
    filter: TypedFilter | Filter | None = None,  # noqa: A002
    query_from: QueryFrom = "query",
    chunk: ChunkWords = CHUNK,
    workers: Annotated[int | None, AllowedRange(ge=1), Option(default="1 or 2 per core; at most 8")] = None,
    exact: Annotated[bool | None, Option("--exact/--no-exact", default="the faster, unless you set its effort")] = None,
    progress: Progress | None = None,
) -> Ran:
    """Make a run: search all queries with a system and store the rankings.

    An interrupted command continues where it stopped. The run appears when all queries are searched.

    :param system: Retrieval system.
    :param name: Name of the run.
    :param depth: Number of documents per query.
    :param team: Team of the run.
    :param replace: Replace a stored run with this name.
    :param query_from: Search the text of each query, or the article of its topic in chunks whose rankings are fused.
    :param workers: Sessions that search at once.
    :param exact: Compare all queries with all vectors in one pass, or search the index.
    :returns: the run, after its stored ranks are computed, so that the first scoring does not wait.
    :raises StcError: as for :func:`stcollection.retrieval.run.run`.
    """
    source = QuerySource(query_from=query_from, chunk=chunk)
    made = run(
        conn,
        system=system,
        name=name or default_name(system, source),
        depth=depth,
        team=team,
        replace=replace,
        filter=read_filter(conn, filter),
        model=model,
        queries=set_of(queries),
        source=source,
        workers=workers,
        exact=exact,
        progress=progress,
    )
    judge_new(conn, [made.run])
    return made
