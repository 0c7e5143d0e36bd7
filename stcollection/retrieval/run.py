"""Make runs with the retrieval systems of the collection."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg.pq import TransactionStatus

from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.db.pool import worker_count
from stcollection.errors import StateError, translate
from stcollection.retrieval.batches import Progress, at_once, in_batches
from stcollection.retrieval.exact import one_pass
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.pipelines import Pipeline, pipeline
from stcollection.retrieval.settings import OF_QUERIES, QuerySource, RunSettings
from stcollection.retrieval.systems import model_of, needs_vector
from stcollection.topics.load import SEARCHED
from stcollection.topics.sets import ALL
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import embed_queries, query_vectors, short


@dataclass(frozen=True, kw_only=True)
class Ran(HtmlFields):
    """A run made by a system of the collection.

    :param queries: number of queries with results. :param ranked: number of documents in the run, over all queries.
    :param exact: all vectors were compared, in one pass for all queries.
    :param without_article: number of queries that were skipped because their topic has no article.
    :param long: names of queries of more than SEARCHED characters, of which searches of words read the beginning.
    """

    run: str
    system: str
    queries: int
    ranked: int
    exact: bool = False
    without_article: int = 0
    long: tuple[str, ...] = ()


@translate()
def check_systems(conn: psycopg.Connection, systems: Sequence[str], *, model: str | Encoder | None = None) -> None:
    """Check that the collection has the vectors and indexes that systems need, before the queries are embedded.

    This reads the catalogue (sql/retrieval/check_system.sql); nothing is searched.

    :raises UnknownObject: unknown system or model. :raises StateError: no documents, no text index, or no vectors.
    """
    with conn.transaction():
        for system in systems:
            conn.execute("SELECT stc.check_system(%s, %s)", [system, short(model)])


@translate()
def check_corpus(conn: psycopg.Connection) -> None:
    """Check that there are documents to search. :raises StateError: there are none."""
    with conn.transaction():
        conn.execute("SELECT stc.check_corpus()")


@translate()
def run(
    conn: psycopg.Connection,
    *,
    system: str,
    name: str,
    depth: int = 1000,
    team: str | None = None,
    replace: bool = False,
    filter: Filter | None = None,  # noqa: A002
    model: str | Encoder | None = None,
    queries: str = ALL,
    source: QuerySource = OF_QUERIES,
    workers: int | None = None,
    exact: bool | None = None,
    progress: Progress | None = None,
) -> Ran:
    """Store the results of a system for every stored query with text as a run (sql/retrieval/make_run.sql).

    Queries are searched in batches of some seconds, which are committed. If the call is interrupted, the same call continues with
    the next query. The run appears when it is complete. Several sessions search at once, each on a core of the server. In the
    caller's transaction the run is made in one statement instead.

    Queries are embedded first if the system needs it. Ends with VACUUM (ANALYZE) of ranked_lists, unless the
    caller is in a transaction.

    :param system: a system of the collection. :param depth: maximum number of documents per query.
    :param replace: replace a stored run with this name.
    :param filter: rank only documents that match it (sql/corpus/filter_condition.sql); ``judged`` is applied per query.
    :param model: short name of an embedding model, or a model in memory; None uses the collection's default.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :param source: search the queries or the articles of their topics (sql/retrieval/article_search.sql).
    :param workers: number of sessions that search; None: one per core of this machine, at most 8, and two per core if the
        collection is larger than the server's effective_cache_size. A collection on several servers, and a caller with another
        role than its login, have one.
    :param exact: for dense systems of a field, without filter: compare all queries with all vectors in one pass, which returns what
        a search without an index returns. False: search the index. None: as :func:`~stcollection.retrieval.exact.is_cheaper` says.
    :param progress: called with the numbers of queries searched and of all queries, and a note on work of an earlier call.
    :raises BadArgument: the name is taken, depth or workers is below 1, or the filter or source is invalid.
    :raises UnknownObject: unknown system, model, edition or set.
    :raises StateError: no documents, no query, no article, no text index, no vectors, nothing was found, or the collection changed
        repeatedly.
    """
    worker_count(workers)  # raises before the queries are embedded
    steps = pipeline(conn, system, model)
    if steps is not None or needs_vector(conn, system):
        check_systems(conn, [system], model=model)
        used = [model_of(conn, system, model)] if steps is None else [_given(name, model) for name in steps.models]
        for embedder in used:
            if source.of_articles:
                embed_articles(conn, chunk=source.chunk, queries=queries, model=embedder)
            else:
                embed_queries(conn, model=embedder, queries=queries)
    scored_by = _scored_by(conn, steps)
    settings = RunSettings(
        name=name,
        system=system,
        depth=depth,
        team=team,
        replace=replace,
        filter=filter,
        model=short(model),
        queries=queries,
        source=source,
        scored_by=scored_by,
    )
    settings = dataclasses.replace(settings, exact=one_pass(conn, settings, exact))
    searched_exactly = False
    if conn.info.transaction_status == TransactionStatus.IDLE:
        answered, ranked, searched_exactly = in_batches(conn, settings, _session_count(conn, workers), progress)
    else:
        answered, ranked = at_once(conn, settings)
    vacuum(conn, "stc.ranked_lists")
    return Ran(
        run=name,
        system=system,
        queries=answered,
        ranked=ranked,
        exact=searched_exactly,
        without_article=_without_article(conn, queries, source),
        long=() if source.of_articles or system.startswith("dense") else _long(conn, queries),
    )


def _given(name: str, model: str | Encoder | None) -> str | Encoder:
    """Return the model in memory if it is the one of a stage; else its name."""
    return name if isinstance(model, str | None) or model.short != name else model


def _scored_by(conn: psycopg.Connection, steps: Pipeline | None) -> dict[str, Any] | None:
    """Return the cross-encoders of a system by the place of their stage, which are part of the run's parameters.

    :raises StateError: it has one, and the caller is in a transaction.
    """
    scorers = {} if steps is None else steps.scorers()
    if steps is None or not scorers:
        return None
    if conn.info.transaction_status != TransactionStatus.IDLE:
        raise StateError(
            f"{steps.system} has a cross-encoder, so that a run stores each query in its own transaction",
            hint="Commit or roll back first.",
        )
    return {str(place): described for place, described in scorers.items()}


def embed_articles(
    conn: psycopg.Connection, *, chunk: int, topic: str | None = None, queries: str = ALL, model: str | Encoder | None = None
) -> None:
    """Embed the chunks of articles that are not cached yet. :param topic: of this topic; None: of the topics of the queries."""
    if topic is None:
        articles: LiteralString = "SELECT DISTINCT r.text FROM stc.run_queries(%(queries)s, 'article') r"
    else:
        articles = "SELECT stc.needed_article(%(topic)s)"
    rows = conn.execute(
        f"SELECT DISTINCT c FROM ({articles}) a (article), unnest(stc.article_chunks(a.article, %(chunk)s)) c",  # noqa: S608
        {"topic": topic, "queries": queries, "chunk": chunk},
    ).fetchall()
    query_vectors(conn, [words for (words,) in rows], model=model)


def _session_count(conn: psycopg.Connection, workers: int | None) -> int:
    """Return how many sessions search: one unless others of this login search alike and faster.

    Servers of a cluster already share each search. A collection larger than the memory for it is read from the disk, for which
    sessions wait in turn.
    """
    with conn.transaction():
        # Only a login is sure to have CONNECT, which pg_database_size requires; a role that it uses may lack it.
        [(large,)] = conn.execute(
            "SELECT CASE WHEN current_user = session_user AND stc.documents_here()"
            " THEN pg_database_size(current_database()) > pg_size_bytes(current_setting('effective_cache_size')) END"
        ).fetchall()
    return 1 if large is None else worker_count(workers, per_core=2 if large else 1)


def _long(conn: psycopg.Connection, queries: str) -> tuple[str, ...]:
    rows = conn.execute(
        "SELECT query FROM stc.run_queries(%s, 'query') WHERE length(text) > %s ORDER BY id", [queries, SEARCHED]
    ).fetchall()
    return tuple(query for (query,) in rows)


def _without_article(conn: psycopg.Connection, queries: str, source: QuerySource) -> int:
    if not source.of_articles:
        return 0
    [(count,)] = conn.execute(
        "SELECT (SELECT count(*) FROM stc.run_queries(%(queries)s, 'query'))"
        " - (SELECT count(*) FROM stc.run_queries(%(queries)s, 'article'))",
        {"queries": queries},
    ).fetchall()
    return int(count)
