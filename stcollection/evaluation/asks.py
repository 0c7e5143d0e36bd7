"""Request mean scores of runs on editions that are hidden from the team that requests them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import StateError, translate
from stcollection.evaluation.kinds import KINDS

#: The measures that requests may report.
PERMITTED = ", ".join(f"{kind.printed}_K" if kind.cut else kind.name for kind in KINDS.values() if "requests" in kind.uses) + (
    " with K of at least 10"
)


class Hidden(NamedTuple):
    """A hidden edition as everybody may know it.

    :param asks: how often a team may ask on it; None: nobody may.
    :param left: how often one's own team still may; None: of no team.
    """

    edition: str
    asks: int | None
    measures: list[str] | None
    left: int | None


class AskedScore(NamedTuple):
    """One score that a participant asked for.

    :param mean: over the queries of the edition, rounded to two decimals. :param asked: when, as the run was then.
    """

    measure: str
    mean: float
    asked: datetime


@translate()
def hidden(conn: psycopg.Connection) -> list[Hidden]:
    """The hidden editions, by name; none for a role outside the collection's four, which may not list them."""
    if conn.execute("SELECT has_function_privilege('hidden_editions()', 'EXECUTE')").fetchone() == (False,):
        return []
    with conn.cursor(row_factory=class_row(Hidden)) as cursor:
        return cursor.execute(
            "SELECT edition, asks, measures, asks_left AS left FROM hidden_editions() ORDER BY edition"
        ).fetchall()


@translate()
def allow(conn: psycopg.Connection, edition: str, *, asks: int, measures: Sequence[str] | None = None) -> None:
    """Let each team ask so many times on a hidden edition; 0 takes it back. For organisers.

    :param measures: measures to report, at most 2; None takes nDCG@10.
    :raises UnknownObject: there is no such edition or measure.
    :raises BadArgument: fewer than 0, or a measure that is not permitted (sql/evaluation/ask_measures.sql).
    """
    with conn.transaction():
        if measures is None:
            conn.execute("SELECT stc.allow_asks(%s, %s)", [edition, asks])
        else:
            conn.execute("SELECT stc.allow_asks(%s, %s, %s)", [edition, asks, list(measures)])


@translate()
def ask(conn: psycopg.Connection, run: str, *, edition: str) -> tuple[list[AskedScore], int]:
    """Request the means of a run of one's team on a hidden edition: ask, score, read, each in a transaction of its own.

    The first is counted when it commits. If the second fails, calling again is free: the request is stored.

    :returns: the means, and how many requests the team has left.
    :raises UnknownObject: the team has no such run, or there is no such edition.
    :raises StateError: requests are not allowed, none is left, the run is too short; or the connection is inside a transaction.
    """
    if conn.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        raise StateError("asking inside a transaction", hint="Commit first: each of the three steps commits by itself.")
    with conn.transaction():
        row = conn.execute("SELECT ask_scores(%s, %s)", [run, edition]).fetchone()
    with conn.transaction():
        conn.execute("SELECT score_requests()")
    with conn.transaction(), conn.cursor(row_factory=class_row(AskedScore)) as cursor:
        told = cursor.execute("SELECT * FROM asked_scores(%s, %s)", [run, edition]).fetchall()
    return told, int(row[0]) if row else 0
