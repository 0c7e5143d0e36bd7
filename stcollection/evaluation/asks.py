"""Score requests: mean scores of a team's runs on editions that are hidden from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import INTERNAL, AllowedRange, Option, declare
from stcollection.errors import StateError, translate
from stcollection.evaluation.kinds import KINDS
from stcollection.qrels.parameters import ChangedEdition

#: The measures that requests may report.
PERMITTED = ", ".join(f"{kind.printed}_K" if kind.cut else kind.name for kind in KINDS.values() if "requests" in kind.uses) + (
    " with K of at least 10"
)


class Hidden(NamedTuple):
    """A hidden edition, with the fields that everybody may see.

    :param asks: number of requests allowed per team; None: no requests are allowed.
    :param left: number of requests left to the caller's team; None without a team.
    """

    edition: str
    asks: int | None
    measures: list[str] | None
    left: int | None


class AskedScore(NamedTuple):
    """One score that a participant requested.

    :param mean: over the queries of the edition, rounded to two decimals.
    :param asked: time of the request; the score is for the run as stored at that time.
    """

    measure: str
    mean: float
    asked: datetime


@translate()
def hidden(conn: psycopg.Connection) -> list[Hidden]:
    """Return the hidden editions, by name; empty for roles outside the collection's four, which may not list them."""
    if conn.execute("SELECT has_function_privilege('hidden_editions()', 'EXECUTE')").fetchone() == (False,):
        return []
    return records(conn, Hidden, "SELECT edition, asks, measures, asks_left AS left FROM hidden_editions() ORDER BY edition")


@declare
@translate()
def allow(
    conn: psycopg.Connection,
    edition: ChangedEdition,
    *,
    asks: Annotated[int, AllowedRange(ge=0), Option("--requests")],
    measures: Annotated[Sequence[str] | None, INTERNAL] = None,
) -> None:
    """Allow each team this number of requests on a hidden edition; 0 withdraws the permission. For organisers.

    :param asks: Number of requests per team; 0 withdraws the permission.
    :param measures: measures to report, at most 2; None: nDCG@10.
    :raises UnknownObject: the edition or a measure does not exist.
    :raises BadArgument: the number is negative, or a measure is not permitted (sql/evaluation/ask_measures.sql).
    """
    with conn.transaction():
        if measures is None:
            conn.execute("SELECT stc.allow_asks(%s, %s)", [edition, asks])
        else:
            conn.execute("SELECT stc.allow_asks(%s, %s, %s)", [edition, asks, list(measures)])


@declare
@note_simulated("edition")
@translate()
def ask(
    conn: psycopg.Connection, run: Annotated[str, Option("RUN")], *, edition: Annotated[str, Option(metavar="EDITION")]
) -> tuple[list[AskedScore], int]:
    """Request the means of a run of the caller's team on a hidden edition.

    The steps are: request, score, read. Each runs in a separate transaction. A request counts once the first commits; if the second
    fails, calling again is free, because the request is stored.

    :param run: A stored run of the team. :param edition: Hidden edition to score with.
    :returns: the means, and the number of requests the team has left.
    :raises UnknownObject: the team has no such run, or the edition does not exist.
    :raises StateError: requests are not allowed, none is left, or the run is too short; or the connection is inside a transaction.
    """
    if conn.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        raise StateError(
            "scores cannot be requested inside a transaction", hint="Commit first: each of the three steps commits separately."
        )
    with conn.transaction():
        row = conn.execute("SELECT ask_scores(%s, %s)", [run, edition]).fetchone()
    with conn.transaction():
        conn.execute("SELECT score_requests()")
    with conn.transaction(), conn.cursor(row_factory=class_row(AskedScore)) as cursor:
        scores = cursor.execute("SELECT * FROM asked_scores(%s, %s)", [run, edition]).fetchall()
    return scores, int(row[0]) if row else 0
