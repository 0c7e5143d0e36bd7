"""Stored runs fused into a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.errors import translate
from stcollection.moved import grouped

METHODS = ("rrf", "sum", "mnz")
NORMS = ("minmax", "zscore", "rank", "none")


@dataclass(frozen=True, kw_only=True)
class NewRun:
    """A run that is to be stored.

    :param depth: documents a query of the new run at most. :param replace: put it in the place of a stored run of that name.
    """

    name: str
    depth: int = 1000
    replace: bool = False


@dataclass(frozen=True, kw_only=True)
class FusionRule:
    """How the rankings of several runs become one.

    :param method: one of METHODS: reciprocal ranks, weighted sum of normed scores, or that times the number of runs that hold the
        document. :param norm: one of NORMS, for ``sum`` and ``mnz``. :param constant: of ``rrf``.
    """

    method: str = "rrf"
    norm: str = "minmax"
    constant: int = 60


RECIPROCAL_RANKS = FusionRule()


@dataclass(frozen=True, kw_only=True)
class Fused(HtmlFields):
    """A run that was fused from others.

    :param queries: for which a run had something. :param ranked: documents in the new run, of all queries.
    """

    run: str
    queries: int
    ranked: int


@grouped(rule=FusionRule)
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

    Ends with VACUUM (ANALYZE) of st1_rankings; if the caller is in no transaction.

    :param weights: of each run; None is 1 for each. Weight 0 leaves a run out.
    :param depth: documents a query of the new run at most.
    :param replace: put it in the place of a stored run of that name.
    :raises UnknownObject: a run is not stored.
    :raises BadArgument: the name is taken, or an argument is out of its range.
    :raises StateError: there is nothing to fuse.
    """
    weighted = None if weights is None else Jsonb(dict(weights))
    with conn.transaction():
        row = conn.execute(
            "SELECT queries, ranked FROM fuse_runs(%s, %s, %s, %s, %s, %s, %s, %s)",
            [name, list(runs), rule.method, rule.norm, weighted, rule.constant, depth, replace],
        ).fetchone()
    vacuum(conn, "st1_rankings")
    queries, ranked = row or (0, 0)
    return Fused(run=name, queries=queries, ranked=ranked)
