"""Relevant documents found by pool depth, and the grade distribution of editions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import psycopg

from stcollection.analysis.records import Distribution, GradeDistributions, PoolDepths
from stcollection.db.simulated import simulated_note
from stcollection.errors import BadArgument, StateError, translate
from stcollection.qrels.pools import depths
from stcollection.topics.sets import ALL, titled

JudgedBy = Literal["judge", "query"]
BY: tuple[str, ...] = get_args(JudgedBy)
_ORIGINS = ("human", "llm", "knn")
_GRADES = """
SELECT e.edition, CASE WHEN %(by)s = 'query' THEN s.origin ELSE q.origin END, q.rel, count(*)
  FROM qrels q JOIN qrels_editions e ON e.id = q.edition JOIN st1_queries s ON s.id = q.query
 WHERE e.edition = ANY (%(editions)s::text[]) AND q.query IN (SELECT id FROM query_set(%(queries)s)) GROUP BY 1, 2, 3
"""


def pool_depths(conn: psycopg.Connection, pool: str, *, edition: str | None = None, relevant: int = 1) -> PoolDepths:
    """Return :func:`~stcollection.qrels.pools.depths` as a record to draw.

    :param edition: the edition whose judgments count; None: the grades on the pool's sheets.
    :param relevant: the lowest grade that counts as relevant.
    :raises UnknownObject: the pool or edition does not exist.
    :raises StateError: the pool is empty.
    """
    rows = depths(conn, pool, edition=edition, relevant=relevant)
    if not rows or not rows[-1].documents:
        raise StateError(
            f"the pool {pool!r} contains no document", hint="'stc show pools' shows the size of each pool.", sqlstate="IR405"
        )
    return PoolDepths(
        pool=pool,
        edition=edition,
        relevant=relevant,
        documents=[row.documents for row in rows],
        judged=[row.judged for row in rows],
        relevant_found=[row.found for row in rows],
        estimates=None if rows[-1].estimate is None else [row.estimate or 0.0 for row in rows],
        simulated=None if edition is None else simulated_note(conn, [edition]),
    )


@translate()
def grade_counts(
    conn: psycopg.Connection, editions: Sequence[str] = (), *, by: str = "judge", query_set: str = ALL
) -> list[Distribution]:
    """Count how often editions give each grade, with one row per origin if an edition has several.

    :param editions: names, whose order is kept; all editions, sorted by name, if empty.
    :param by: ``judge``: origin of the judgments (human, llm, knn); ``query``: origin of the queries (human, t5, …).
    :param query_set: the queries whose judgments count; see :mod:`stcollection.topics.sets`.
    :raises UnknownObject: an edition does not exist, or the set names no query.
    :raises BadArgument: ``by`` is not one of BY.
    :raises StateError: no edition is stored.
    """
    if by not in BY:
        raise BadArgument(f"unknown value {by!r} of 'by'", hint=f"Use {' or '.join(BY)}.")
    for edition in editions:
        conn.execute("SELECT stc.edition_key(%s)", [edition])
    names = list(dict.fromkeys(editions)) or [
        row[0] for row in conn.execute('SELECT edition FROM qrels_editions ORDER BY edition COLLATE "C"')
    ]
    if not names:
        raise StateError("no edition is stored", hint="Import judgments with 'stc load --as qrels'.", sqlstate="IR405")
    counts: dict[str, dict[str, dict[int, int]]] = {name: {} for name in names}
    for edition, origin, rel, count in conn.execute(_GRADES, {"editions": names, "by": by, "queries": query_set}):
        counts[edition].setdefault(origin, {})[rel] = count
    distributions: list[Distribution] = []
    for name, origins in counts.items():
        if len(origins) > 1:
            order = [origin for origin in _ORIGINS if origin in origins]
            order += sorted(set(origins) - set(order), key=str.encode)
            distributions += [Distribution(name, origin, origins[origin]) for origin in order]
        else:
            distributions.append(Distribution(name, "", next(iter(origins.values()), {})))
    return distributions


def grade_distributions(
    conn: psycopg.Connection, editions: Sequence[str] = (), *, by: str = "judge", query_set: str = ALL
) -> GradeDistributions:
    """Return :func:`grade_counts` as a record to draw."""
    rows = grade_counts(conn, editions, by=by, query_set=query_set)
    return GradeDistributions(
        rows=rows, by=by, judgments=titled("judgments", query_set), simulated=simulated_note(conn, list(editions) or None)
    )
