"""Progress of a pool, for its organiser: work by assessor, missing relevant documents, and agreement with control documents."""

from __future__ import annotations

import psycopg

from stcollection.analysis.stopping import PoolProgress, QueryYield, pool_progress
from stcollection.qrels import judging as work
from stcollection.qrels.judging import PoolAlpha
from stcollection.qrels.organise import AssessorProgress, Drift, assessors, drift
from stcollection.topics.sets import members

MEASURES = ("AP", "nDCG@10")  # of the ranking, which stopping could change


def people(conn: psycopg.Connection, pool: str, queries: str) -> tuple[list[AssessorProgress], PoolAlpha]:
    """Return the work of each assessor, and their agreement."""
    return assessors(conn, pool, queries=queries), work.alpha(conn, pool, queries=queries)


def drift_rows(conn: psycopg.Connection, pool: str, edition: str) -> list[Drift]:
    """Return agreement with control documents in the first and second half of each assessor's decisions."""
    return drift(conn, pool, edition=edition)


def yields(
    conn: psycopg.Connection, pool: str, queries: str, *, labels: str | None, measure: str
) -> tuple[PoolProgress, list[QueryYield]]:
    """Return the estimates for a pool, and its queries that belong to a set."""
    progress, chosen = pool_progress(conn, pool, labels=labels, measure=measure), set(members(conn, queries))
    return progress, [row for row in progress.queries if row.query in chosen]
