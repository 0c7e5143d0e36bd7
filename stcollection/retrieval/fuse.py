"""Fuse stored runs into a new run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.errors import translate

METHODS = ("rrf", "sum", "mnz")
NORMS = ("minmax", "zscore", "rank", "none")


@dataclass(frozen=True, kw_only=True)
class NewRun:
    """Name and options of a run to be stored.

    :param depth: maximum number of documents per query. :param replace: replace a stored run with this name.
    """

    name: str
    depth: int = 1000
    replace: bool = False


@dataclass(frozen=True, kw_only=True)
class FusionRule:
    """Method that fuses the rankings of several runs.

    :param method: one of METHODS: reciprocal ranks, weighted sum of normalised scores, or that sum times the number of runs that
        rank the document. :param norm: one of NORMS, for ``sum`` and ``mnz``. :param constant: constant of ``rrf``.
    """

    method: str = "rrf"
    norm: str = "minmax"
    constant: int = 60


RECIPROCAL_RANKS = FusionRule()


@dataclass(frozen=True, kw_only=True)
class Fused(HtmlFields):
    """A run fused from others.

    :param queries: number of queries with a ranking. :param ranked: number of documents in the new run, over all queries.
    """

    run: str
    queries: int
    ranked: int


@translate()
def fuse(
    conn: psycopg.Connection,
    *,
    name: str,
    runs: Sequence[str],
    rule: FusionRule = RECIPROCAL_RANKS,
    weights: Mapping[str, float] | None = None,
    depth: int = 1000,
    replace: bool = False,
) -> Fused:
    """Fuse stored runs, query by query, into a new run (sql/retrieval/fuse_runs.sql).

    Ends with VACUUM (ANALYZE) of ranked_lists, unless the caller is in a transaction.

    :param weights: weight per run; None means 1 for each. Weight 0 omits a run.
    :param depth: maximum number of documents per query of the new run.
    :param replace: replace a stored run with this name.
    :raises UnknownObject: a run is not stored.
    :raises BadArgument: the name is taken, or an argument is out of range.
    :raises StateError: there is nothing to fuse.
    """
    weighted = None if weights is None else Jsonb(dict(weights))
    with conn.transaction():
        row = conn.execute(
            "SELECT queries, ranked FROM fuse_runs(%s, %s, %s, %s, %s, %s, %s, %s)",
            [name, list(runs), rule.method, rule.norm, weighted, rule.constant, depth, replace],
        ).fetchone()
    vacuum(conn, "stc.ranked_lists")
    queries, ranked = row or (0, 0)
    return Fused(run=name, queries=queries, ranked=ranked)
