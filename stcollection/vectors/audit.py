"""Whether the indexes of the vectors can be trusted: what they find against the exact scan, and their state against the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row

from stcollection.errors import BadArgument, StateError, translate


@dataclass(frozen=True)
class Measured:
    """What an index finds at one effort.

    :param effort: probes, ef_search or search_list_size. :param recall: of the k nearest by the exact scan, 0 to 1.
    :param ms: median milliseconds a query; ``ms_p95``: the 95th percentile. :param sampled: queries.
    :param source: what they were: ``queries`` or ``documents``.
    """

    effort: int
    recall: float
    ms: float
    ms_p95: float
    sampled: int
    source: str


@dataclass(frozen=True)
class Status:
    """A row of sql/vectors/vector_status.sql, which says what the columns are."""

    model: str
    field: str
    kind: str | None
    half: bool | None
    lists: int | None
    m: int | None
    ef_construction: int | None
    effort: int | None
    recall: float | None
    recall_k: int | None
    audited: datetime | None
    rows: int | None
    rows_now: int
    bytes: int | None
    stale: bool | None
    built: datetime | None
    advice: str | None


@translate()
def measure(
    conn: psycopg.Connection,
    *,
    field: str,
    model: str | None = None,
    k: int = 10,
    queries: int = 100,
    efforts: Sequence[int] | None = None,
    seed: int = 1,
) -> list[Measured]:
    """Recall and time of a field's index at each of some efforts, ascending; sql/vectors/audit_vectors.sql says how.

    :param efforts: None is a grid that suits the kind of the index.
    :raises StateError: the field has no index. :raises BadArgument: k, queries or an effort out of range.
    """
    with conn.cursor(row_factory=class_row(Measured)) as cursor:
        return cursor.execute(
            "SELECT * FROM audit_vectors(%s, %s, %s, %s, %s::integer[], %s)",
            [field, model, k, queries, None if efforts is None else list(efforts), seed],
        ).fetchall()


def cheapest(measured: Sequence[Measured], *, recall: float) -> Measured:
    """The least effort that reaches a recall.

    :param measured: of :func:`measure`. :param recall: 0 to 1.
    :raises StateError: none does; the best is named. :raises BadArgument: the recall is none.
    """
    if not 0 < recall <= 1:
        raise BadArgument(f"a recall of {recall}", hint="It is above 0, and at most 1.", sqlstate="IR202")
    if not measured:
        raise StateError("there are no vectors to audit", hint="'stc vectors embed' makes them.", sqlstate="IR405")
    enough = [one for one in measured if one.recall >= recall]
    if not enough:
        best = max(measured, key=lambda one: (one.recall, -one.effort))
        raise StateError(
            f"no effort reaches a recall of {recall:g}; the best is {best.recall:.4f}, at {best.effort:,}",
            hint="Try more by --grid, build the index in full precision or, of hnsw, with a larger --m; or ask for less.",
        )
    return min(enough, key=lambda one: one.effort)


@translate()
def keep(conn: psycopg.Connection, chosen: Measured, *, field: str, k: int, model: str | None = None) -> None:
    """Make an effort the one that searches take by default, with the recall found there, which goes into each run made with it.

    :param k: what the recall is of.
    """
    conn.execute("SELECT stc.store_audit(%s, %s, %s, %s, %s)", [field, chosen.effort, chosen.recall, k, model])
    conn.commit()


@translate()
def status(conn: psycopg.Connection) -> list[Status]:
    """The vectors of each model and field, how they are indexed, and whether that still holds."""
    with conn.cursor(row_factory=class_row(Status)) as cursor:
        return cursor.execute("SELECT * FROM stc.vector_status()").fetchall()
