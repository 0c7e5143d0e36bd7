"""Runs of the collection's own systems."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from stcollection.db.connection import vacuum
from stcollection.errors import translate
from stcollection.retrieval import EMBEDDING
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import embed_queries


@dataclass(frozen=True, kw_only=True)
class Ran:
    """:param queries: for which something was found. :param ranked: documents in the run, of all queries."""

    run: str
    system: str
    queries: int
    ranked: int


@translate()
def run(
    conn: psycopg.Connection,
    *,
    system: str,
    name: str,
    depth: int = 1000,
    team: str | None = None,
    replace: bool = False,
    model: Encoder | None = None,
) -> Ran:
    """Fill a run with what a system finds for every stored query that has a text (sql/retrieval/make_run.sql).

    Queries are embedded before, if the system needs it. Ends with VACUUM (ANALYZE) of st1_rankings, so that scoring can read its
    indexes alone; if the caller is in no transaction.

    :param system: one of ``retrieval.SYSTEMS``. :param depth: documents a query at most.
    :param replace: put it in the place of a stored run of that name.
    :param model: the default model, where it is in memory already.
    :raises BadArgument: the name is taken, depth is below 1.
    :raises UnknownObject: there is no such system.
    :raises StateError: no query, no text index, no vectors, or nothing was found.
    """
    if system in EMBEDDING:
        embed_queries(conn, model=model)
    with conn.transaction():
        row = conn.execute(
            "SELECT queries, ranked FROM make_run(%s, %s, %s, %s, %s)", [name, system, depth, team, replace]
        ).fetchone()
    vacuum(conn, "st1_rankings")
    queries, ranked = row or (0, 0)
    return Ran(run=name, system=system, queries=queries, ranked=ranked)
