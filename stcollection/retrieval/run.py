"""Runs of the collection's own systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.errors import translate
from stcollection.retrieval import EMBEDDING
from stcollection.retrieval.filters import Filter
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import embed_queries, short


@dataclass(frozen=True, kw_only=True)
class Ran(HtmlFields):
    """A run that was made.

    :param queries: for which something was found. :param ranked: documents in the run, of all queries.
    """

    run: str
    system: str
    queries: int
    ranked: int


@translate()
def check_systems(conn: psycopg.Connection, systems: Sequence[str], *, model: str | Encoder | None = None) -> None:
    """Check that the collection has the vectors and indexes that systems need, before the queries are embedded.

    Each system searches once, for one document and by a vector of zeros, so that its own function raises its own error.

    :raises UnknownObject: there is no such system or model. :raises StateError: no text index, or no vectors.
    """
    with conn.transaction():
        for system in systems:
            conn.execute(
                "SELECT count(*) FROM stc.vector_model(%(model)s) m,"
                " system_search('a', %(system)s, 1, array_fill(0::real, ARRAY[m.dim])::vector, model => %(model)s)",
                {"system": system, "model": short(model)},
            )


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
) -> Ran:
    """Fill a run with what a system finds for every stored query that has a text (sql/retrieval/make_run.sql).

    Queries are embedded before, if the system needs it. Ends with VACUUM (ANALYZE) of st1_rankings, so that scoring can read its
    indexes alone; if the caller is in no transaction.

    :param system: one of ``retrieval.SYSTEMS``. :param depth: documents a query at most.
    :param replace: put it in the place of a stored run of that name.
    :param filter: only documents that it lets through (sql/corpus/filter_condition.sql); ``judged`` is read query by query.
    :param model: short name of an embedding model, or one in memory; None is the collection's default.
    :raises BadArgument: the name is taken, depth is below 1, the filter cannot be read.
    :raises UnknownObject: there is no such system, model, edition.
    :raises StateError: no query, no text index, no vectors, or nothing was found.
    """
    if system in EMBEDDING:
        check_systems(conn, [system], model=model)
        embed_queries(conn, model=model)
    with conn.transaction():
        row = conn.execute(
            "SELECT queries, ranked FROM make_run(%s, %s, %s, %s, %s, %s, %s)",
            [name, system, depth, team, replace, None if filter is None else Jsonb(filter), short(model)],
        ).fetchone()
    vacuum(conn, "st1_rankings")
    queries, ranked = row or (0, 0)
    return Ran(run=name, system=system, queries=queries, ranked=ranked)
