"""Audit vector indexes: recall compared with the exact scan, and their state compared with the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import psycopg
from psycopg.rows import class_row

from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.vectors.store import IndexedField, StoredModel


@dataclass(frozen=True)
class Measured:
    """Recall and speed of an index at one effort.

    :param effort: probes, ef_search or search_list_size. :param recall: share of the k exact nearest neighbours found, 0 to 1.
    :param ms: median milliseconds per query. :param ms_p95: 95th percentile. :param sampled: number of sampled queries.
    :param source: sampled from ``queries`` or ``documents``.
    """

    effort: int
    recall: float
    ms: float
    ms_p95: float
    sampled: int
    source: str


@dataclass(frozen=True)
class Status:
    """A row of sql/vectors/vector_status.sql, which describes the columns."""

    model: str
    field: str
    kind: str | None
    half: bool | None
    bits: bool | None
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


@declare
@translate()
def measure(
    conn: psycopg.Connection,
    *,
    field: IndexedField | str,
    model: StoredModel = None,
    k: Annotated[int, AllowedRange(ge=1), Option("--cutoff")] = 10,
    queries: Annotated[int, Option("--sample")] = 100,
    efforts: Annotated[
        str | Sequence[int] | None, Option("--grid", metavar="N,N,…", default="depends on the kind of index")
    ] = None,
    seed: int = 1,
) -> list[Measured]:
    """Measure recall and time of a field's index at several efforts, in ascending order (sql/vectors/audit_vectors.sql).

    :param field: Field of the index. :param k: Number of nearest neighbours, k of recall@k.
    :param queries: Number of queries to measure with. :param efforts: Efforts to try.
    :param seed: Seed of the sample of queries.
    :raises StateError: the field has no index. :raises BadArgument: k, queries or an effort is out of range.
    """
    with conn.cursor(row_factory=class_row(Measured)) as cursor:
        return cursor.execute(
            "SELECT * FROM audit_vectors(%s, %s, %s, %s, %s::integer[], %s)",
            [field, model, k, queries, None if efforts is None else _numbers(efforts), seed],
        ).fetchall()


def _numbers(given: str | Sequence[int]) -> list[int]:
    """Return integers, which a text separates by commas."""
    try:
        return [int(number) for number in (given.split(",") if isinstance(given, str) else given)]
    except ValueError as error:
        raise BadArgument(f"{given!r} is not a list of integers", hint="Write 1,2,5,10.") from error


def cheapest(measured: Sequence[Measured], *, recall: float) -> Measured:
    """Return the lowest effort that reaches a recall.

    :param measured: results of :func:`measure`. :param recall: above 0, at most 1.
    :raises StateError: no effort reaches it; the message names the best. :raises BadArgument: the recall is out of range.
    """
    if not 0 < recall <= 1:
        raise BadArgument(f"a recall of {recall}", hint="Use a value above 0 and at most 1.")
    if not measured:
        raise StateError("there are no vectors to audit", hint="'stc vectors embed' makes them.", sqlstate="IR405")
    enough = [point for point in measured if point.recall >= recall]
    if not enough:
        best = max(measured, key=lambda point: (point.recall, -point.effort))
        raise StateError(
            f"no effort reaches a recall of {recall:g}; the best is {best.recall:.4f}, at {best.effort:,}",
            hint="Try larger efforts with --grid, a lower recall, 'stc vectors index --full' or 'stc vectors index --m 32'.",
        )
    return min(enough, key=lambda point: point.effort)


@translate()
def keep(conn: psycopg.Connection, chosen: Measured, *, field: str, k: int, model: str | None = None) -> None:
    """Store an effort as the default for searches, with its recall, which runs record.

    :param k: number of neighbours for which the recall was measured.
    """
    conn.execute("SELECT stc.store_audit(%s, %s, %s, %s, %s)", [field, chosen.effort, chosen.recall, k, model])
    conn.commit()


@translate()
def status(conn: psycopg.Connection, *, estimate: bool = False) -> list[Status]:
    """Return the vectors of each model and field, with the kind and state of their index.

    :param estimate: do not count the vectors of a table with more than 100,000 rows, but estimate their number.
    """
    with conn.cursor(row_factory=class_row(Status)) as cursor:
        return cursor.execute("SELECT * FROM stc.vector_status(%s)", [estimate]).fetchall()
