"""Search all vectors for the queries of a dense run in one pass, where that is cheaper than searching the index for each query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument
from stcollection.retrieval.settings import RunSettings
from stcollection.vectors.binary import decoded
from stcollection.vectors.exact import Ids, nearest, passes
from stcollection.vectors.store import registered

# The systems that can be searched in one pass.
SYSTEMS = ("dense-title", "dense-abstract", "dense-content")
# Processor time in units of the time in which the scan of an ivfflat index compares a vector (.6 µs), measured with 96,448 and
# 1,100,000 vectors of 384 dimensions: to read a vector in one pass, to multiply it with a query, and to return a document; vectors
# that a graph compares per candidate. Recall .95 took 10 %, 4 % and 8 % of the lists with 96,448, 1,100,000 and 4,963,185 vectors.
_READ, _MULTIPLY, _RETURN, _GRAPH, _LISTS = 9.0, 0.016, 7.0, 40.0, 0.08
_STORED = 50_000  # candidates whose scores are computed at once, in one transaction

_INDEX = """
SELECT i.audited IS NOT NULL OR i.effort <> CASE i.kind WHEN 'ivfflat' THEN stc.ivfflat_probes(i.lists) ELSE 100 END,
       i.rows, i.kind, i.effort, i.lists
  FROM stc.vector_model(%(model)s) m JOIN stc.vector_indexes i ON i.model = m.model AND i.field = %(field)s
 WHERE to_regclass(quote_ident(stc.vector_index_name(m.relation, i.field, i.kind))) IS NOT NULL
"""
_LEFT = """
SELECT q.id, cardinality(x.excluded), vector_send(l2_normalize(e.v)::{storage}::vector)
  FROM stc.run_queries(%(queries)s, 'query') q
  JOIN stc.st1_queries x ON x.id = q.id
 CROSS JOIN stc.vector_model(%(model)s) m
 CROSS JOIN LATERAL (SELECT embed_query(q.text, m.model) AS v OFFSET 0) e
 CROSS JOIN LATERAL stc.check_query_vector(e.v, m)
 WHERE NOT EXISTS (SELECT FROM stc.unfinished_rankings r WHERE r.unfinished = %(unfinished)s AND r.query = q.id)
 ORDER BY q.id
"""


def search_all(
    conn: psycopg.Connection, unfinished: int, run: RunSettings, *, sessions: int, spent: Callable[[], dict[str, float]]
) -> Iterator[int | None]:
    """Search the queries of an unfinished run that are left, and store their rankings (sql/retrieval/store_nearest.sql).

    Each pass and each part of its rankings has its own transaction. An interrupted run continues with the queries that are left.

    :param sessions: number of sessions that read the vectors. :param spent: returns the resources used since its previous call.
    :returns: after each part, the number of queries searched so far; None, at the end, if the collection changed.
    :raises TooManyTies: too many documents are equally near.
    """
    with conn.transaction():
        space = registered(conn, run.model)
        left = conn.execute(
            sql.SQL(_LEFT).format(storage=sql.Identifier(space.storage)),
            {"queries": run.queries, "model": run.model, "unfinished": unfinished},
            binary=True,
        ).fetchall()
    keys = [key for key, _, _ in left]
    vectors = decoded(b"".join(sent for _, _, sent in left), space.dim)
    k = run.depth + max((excluded for _, excluded, _ in left), default=0)
    for part in passes(len(left), k):
        with conn.transaction():
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            field = run.system.removeprefix("dense-")
            near = nearest(conn, space, field, vectors[part], k=k, sessions=sessions)
        for searched, query, docs in _batches(keys[part], near):
            with conn.transaction():
                [[so_far, stopped]] = conn.execute(
                    "SELECT done, stopped FROM stc.store_nearest(%s, %s, %s, %s, %s)",
                    [unfinished, searched, query, docs, Jsonb(spent())],
                )
            yield None if stopped else so_far
            if stopped:
                return


def _batches(keys: Sequence[int], near: Sequence[Ids]) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Yield queries, and for their candidates the query and the document of each, sorted by document to read them in order."""
    start = 0
    while start < len(keys):
        end = start + 1
        size = len(near[start])
        while end < len(keys) and size + len(near[end]) <= _STORED:
            size += len(near[end])
            end += 1
        query = np.repeat(np.array(keys[start:end]), [len(ids) for ids in near[start:end]])
        docs = np.concatenate(near[start:end])
        order = np.argsort(docs, kind="stable")
        yield list(keys[start:end]), query[order].tolist(), docs[order].tolist()
        start = end


def one_pass(conn: psycopg.Connection, run: RunSettings, exact: bool | None) -> bool:
    """Return whether to compare all queries with all vectors in one pass.

    :param exact: whether the caller wants it; None: if the field has no index, or if it is faster (:func:`is_cheaper`) and nobody
        chose the effort of the index (``stc vectors index --effort``, ``stc vectors audit``).
    :raises BadArgument: the caller wants it, but the search is another one.
    """
    reason = None
    if run.system not in SYSTEMS:
        reason = f"{run.system} is not searched in one pass"
    elif run.filter:
        reason = "a search with a filter is not one pass"
    elif run.source.of_articles:
        reason = "articles are not searched in one pass"
    elif conn.info.transaction_status != TransactionStatus.IDLE:
        reason = "a pass needs transactions of its own"
    elif not _are_documents_here(conn):
        reason = "the documents are distributed over several servers"
    if reason is not None and exact:
        raise BadArgument(
            reason, hint=f"Omit --exact. It is for {', '.join(SYSTEMS)}, without a filter, articles or several servers."
        )
    if reason is not None or exact is not None:
        return bool(exact)
    names = {"model": run.model, "field": run.system.removeprefix("dense-"), "queries": run.queries}
    with conn.transaction():
        walked = conn.execute(_INDEX, names).fetchone()
        if walked is None:
            return True
        chosen, rows, kind, effort, lists = walked
        [(queries,)] = conn.execute("SELECT count(*) FROM stc.run_queries(%(queries)s, 'query')", names).fetchall()
    return not chosen and is_cheaper(queries, rows, index=IndexCost(kind, effort, lists), depth=run.depth)


def _are_documents_here(conn: psycopg.Connection) -> bool:
    with conn.transaction():
        return conn.execute("SELECT stc.documents_here()").fetchone() == (True,)


class IndexCost(NamedTuple):
    """The parameters of an index on which the time of a search depends; see sql/vectors/index_vectors.sql."""

    kind: str
    effort: int
    lists: int | None


def is_cheaper(queries: int, rows: int, *, index: IndexCost, depth: int) -> bool:
    """Return whether one pass takes less processor time than a search of the index for each query, with a recall of .95 or more.

    :param rows: number of vectors. :param depth: number of documents per query.
    """
    compared = rows * max(index.effort / index.lists, _LISTS) if index.lists else _GRAPH * max(index.effort, depth)
    return rows * (_READ + _MULTIPLY * queries) <= queries * (compared + _RETURN * depth)
