"""Make a run in batches of queries that are committed, so that an interrupted command continues where it stopped.

Several sessions search at once; a session works on one processor core of the server, or waits for its disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import psycopg
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.declared import AllowedRange, Option
from stcollection.errors import StateError
from stcollection.retrieval.exact import search_all
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.resources import ResourceMeter, added_up, store_resources
from stcollection.retrieval.sessions import OtherSessions
from stcollection.topics.sets import ALL
from stcollection.vectors.exact import TooManyTies

# Called with the number of queries searched, the number of all queries, and a note on rankings of an earlier call.
Progress = Callable[[int, int, str], None]
QueryFrom = Literal["query", "article"]
CHUNK = 64  # words
ChunkWords = Annotated[
    int,
    AllowedRange(ge=0, le=1000),
    Option(metavar="WORDS", help="With an article: maximum number of words per chunk; 0 searches sentences."),
]
_SECONDS = 1.0  # per batch: an interruption loses at most this much work, or one slower query
_ATTEMPTS = 3


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

    @property
    def arguments(self) -> list[object]:
        """The arguments of make_run, and of resume_run before exact."""
        given = None if self.filter is None else Jsonb(self.filter)
        source = [self.queries, self.source.query_from, self.source.chunk]
        return [self.name, self.system, self.depth, self.team, self.replace, given, self.model, *source]


def at_once(conn: psycopg.Connection, run: RunSettings) -> tuple[int, int]:
    """Make a run in one statement (sql/retrieval/make_run.sql). :returns: numbers of queries with results and of documents."""
    spent = ResourceMeter(conn)
    with conn.transaction():
        row = conn.execute("SELECT queries, ranked FROM make_run(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", run.arguments).fetchone()
        answered, ranked = row or (0, 0)
        store_resources(conn, run.name, spent.read())
    return answered, ranked


def in_batches(conn: psycopg.Connection, run: RunSettings, workers: int, progress: Progress | None) -> tuple[int, int, bool]:
    """Make a run in batches, continuing an unfinished one (sql/retrieval/resume_run.sql); store it when all queries are searched.

    If the collection changes in the meantime, all queries are searched again.

    :param workers: number of sessions that search.
    :returns: numbers of queries with results and of documents, and whether the search was exact.
    :raises StateError: the collection changed repeatedly.
    """
    for _ in range(_ATTEMPTS):
        try:
            stored = _attempt(conn, run, workers, progress)
        except TooManyTies:
            run = replace(run, exact=False)
            continue
        if stored is not None:
            return *stored, run.exact
    raise StateError(
        f"the collection changed {_ATTEMPTS} times while run {run.name} was made",
        hint="Wait until nobody loads documents or builds indexes, then run the same command again.",
        sqlstate="IR405",
    )


def _attempt(conn: psycopg.Connection, run: RunSettings, workers: int, progress: Progress | None) -> tuple[int, int] | None:
    """Search and store; None if the collection changed, or another session finished or removed the unfinished run."""
    spent = ResourceMeter(conn)
    with conn.transaction():
        [[unfinished, searched, queries, changed]] = conn.execute(
            "SELECT unfinished, done, queries, changed FROM stc.resume_run(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [*run.arguments, run.exact],
        )
    note = ""
    if changed is not None:
        note = f"{run.name}: searching all queries again, because {changed} changed"
    elif searched:
        note = f"{run.name}: continuing after {searched:,} of {counted(queries, 'query')}"
    if run.exact and searched < queries:
        if progress is not None:
            progress(searched, queries, note)
        for searched in search_all(conn, unfinished, run, sessions=workers, spent=spent.read):
            if searched is None:
                return None
            if progress is not None and searched < queries:
                progress(searched, queries, note)
    waited: list[dict[str, float]] = []  # resources of calls in which other sessions searched the last queries
    with OtherSessions(conn, unfinished, count=workers - 1, seconds=_SECONDS) as others:
        while True:
            if progress is not None:
                progress(searched, queries, note)
            if searched >= queries:
                break
            parts = [*waited, spent.read()]
            arguments = [unfinished, _SECONDS, Jsonb(added_up(parts))]
            with conn.transaction():
                [[searched, taken, stopped]] = conn.execute(
                    "SELECT done, taken, stopped FROM stc.search_queries(%s, %s, %s)", arguments
                )
            if stopped:
                return None
            waited = [] if taken else parts
            if not taken and not others.wait():
                with conn.transaction():  # another command searches the rest; an error names it if that takes long
                    conn.execute("SELECT stc.claim_run(%s)", [run.name])
            elif searched < queries:
                others.start()
    with conn.transaction():
        stored = conn.execute(
            "SELECT spent FROM stc.unfinished_rankings WHERE unfinished = %s AND spent IS NOT NULL", [unfinished]
        ).fetchall()
        [[answered, ranked]] = conn.execute(
            "SELECT queries, ranked FROM stc.finish_run(%s, %s, %s)", [unfinished, run.team, run.replace]
        )
        if ranked is not None:
            store_resources(conn, run.name, added_up([*(part for (part,) in stored), *waited, spent.read()]))
    return None if ranked is None else (answered, ranked)
