"""Check that the queries of judgments or of a run are those of the collection's topics."""

from __future__ import annotations

import psycopg
from psycopg import sql

from stcollection.io.topics.spelling import check_queries


def settle_policy(conn: psycopg.Connection, source: str, policy: str, *, table: str = "incoming") -> str:
    """Apply the policy ``few`` for unknown queries to the rows of a temporary table, before they are stored.

    :param source: the file, for messages. :param policy: ``few`` checks the queries if the collection has topics; other policies
        accept all. :param table: the temporary table.
    :returns: the policy for the SQL function that stores the rows: ``stub`` instead of ``few``.
    :raises BadInput: see :func:`~stcollection.io.topics.spelling.check_queries`.
    """
    if policy != "few":
        return policy
    named = sql.SQL(
        "SELECT i.query, q.query IS NULL AS unknown FROM (SELECT DISTINCT query FROM {}) i"
        " LEFT JOIN st1_queries q ON q.query = i.query WHERE q.query IS NULL OR q.text IS NOT NULL"
    ).format(sql.Identifier("pg_temp", table))
    queries: dict[str, bool] = dict(conn.execute(named).fetchall())
    if any(queries.values()):
        stored = [query for (query,) in conn.execute("SELECT query FROM st1_queries WHERE text IS NOT NULL")]
        check_queries(source, queries, stored)
    return "stub"
