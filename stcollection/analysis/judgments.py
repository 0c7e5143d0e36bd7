"""Relevant documents found by pool depth, and the grade distribution of editions."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from stcollection.analysis.records import Distribution, GradeDistributions, PoolDepths
from stcollection.errors import StateError, translate
from stcollection.qrels.pools import depths
from stcollection.qrels.simulated import simulated_note

_ORIGINS = ("human", "llm", "knn")
_GRADES = """
SELECT e.edition, q.origin, q.rel, count(*) FROM qrels q JOIN qrels_editions e ON e.id = q.edition
 WHERE cardinality(%(editions)s::text[]) = 0 OR e.edition = ANY (%(editions)s::text[]) GROUP BY 1, 2, 3
"""


def pool_depths(conn: psycopg.Connection, pool: str, *, edition: str | None = None, relevant: int = 1) -> PoolDepths:
    """Return :func:`~stcollection.qrels.pools.depths` as a record to draw.

    :param edition: the edition whose judgments count; None: the grades on the pool's sheets.
    :param relevant: the lowest grade that counts as relevant.
    :raises UnknownObject: the pool or edition does not exist.
    :raises StateError: the pool is empty.
    """
    found = depths(conn, pool, edition=edition, relevant=relevant)
    if not found or not found[-1].documents:
        raise StateError(
            f"the pool {pool!r} contains no document", hint="'stc qrels pool list' shows the size of each pool.", sqlstate="IR405"
        )
    return PoolDepths(
        pool=pool,
        edition=edition,
        relevant=relevant,
        documents=[one.documents for one in found],
        judged=[one.judged for one in found],
        found=[one.found for one in found],
        estimates=None if found[-1].estimate is None else [one.estimate or 0.0 for one in found],
        simulated=None if edition is None else simulated_note(conn, [edition]),
    )


@translate()
def grade_counts(conn: psycopg.Connection, editions: Sequence[str] = ()) -> list[Distribution]:
    """Count how often editions give each grade, with one row per origin if an edition has several.

    :param editions: names, whose order is kept; all editions, sorted by name, if empty.
    :raises UnknownObject: an edition does not exist.
    :raises StateError: no edition is stored.
    """
    for edition in editions:
        conn.execute("SELECT stc.edition_key(%s)", [edition])
    names = list(dict.fromkeys(editions)) or [
        row[0] for row in conn.execute('SELECT edition FROM qrels_editions ORDER BY edition COLLATE "C"')
    ]
    if not names:
        raise StateError("no edition is stored", hint="Import judgments with 'stc qrels import'.", sqlstate="IR405")
    found: dict[str, dict[str, dict[int, int]]] = {name: {} for name in names}
    for edition, origin, rel, count in conn.execute(_GRADES, {"editions": names}):
        found[edition].setdefault(origin, {})[rel] = count
    distributions: list[Distribution] = []
    for name, origins in found.items():
        if len(origins) > 1:
            distributions += [Distribution(name, origin, origins[origin]) for origin in _ORIGINS if origin in origins]
        else:
            distributions.append(Distribution(name, "", next(iter(origins.values()), {})))
    return distributions


def grade_distributions(conn: psycopg.Connection, editions: Sequence[str] = ()) -> GradeDistributions:
    """Return :func:`grade_counts` as a record to draw."""
    rows = grade_counts(conn, editions)
    return GradeDistributions(rows=rows, simulated=simulated_note(conn, list(editions) or None))
