"""Effect of another edition of the judgments on scores and on the ranking of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import INTERNAL, Option
from stcollection.errors import translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.topics.sets import ALL, SetExpression


class Shift(NamedTuple):
    """A run scored by editions a and b: means, ranks (1 + number of runs that score higher), and number of queries.

    :param shift: value_b - value_a.
    """

    run: str
    value_a: float
    value_b: float
    shift: float
    rank_a: int
    rank_b: int
    queries_a: int
    queries_b: int


class QueryShift(NamedTuple):
    """A run's scores on one query; None where an edition does not judge it. :param shift: value_b - value_a."""

    run: str
    query: str
    value_a: float | None
    value_b: float | None
    shift: float | None


@dataclass(frozen=True, kw_only=True)
class Impact:
    """The runs, best by b first, and the agreement of the two rankings.

    :param kendall_tau: tau-b.
    :param tau_ap: with a as the truth and b as the estimate.
    :param rbo: rank-biased overlap.

    With fewer than two runs all three are None; tau-b and tau_ap also if one edition scores all runs alike.
    """

    runs: list[Shift]
    kendall_tau: float | None
    tau_ap: float | None
    rbo: float | None
    simulated: str | None = None


@note_simulated("a", "b")
@translate()
def impact(
    conn: psycopg.Connection,
    a: Annotated[str, Option("A")],
    b: Annotated[str, Option("B")],
    *,
    measure: Annotated[Measure, INTERNAL] = nDCG @ 10,
    runs: Annotated[Sequence[str], Option("-r", "--runs", default="all")] = (),
    every: Annotated[bool, Option("--all", default="queries that both judge")] = False,
    p: Annotated[float, Option("-p", "--persistence")] = 0.9,
    queries: SetExpression = ALL,
) -> Impact:
    """Score stored runs with two editions, in one statement (sql/analysis/impact.sql).

    :param runs: Use this run. Repeatable.
    :param every: Average over all queries of each edition.
    :param p: Persistence of rank-biased overlap, between 0 and 1.
    :raises UnknownObject: a run, an edition or the measure does not exist.
    :raises BadArgument: p or the cutoff is out of range.
    :raises StateError: no run is stored, or no query is judged by both editions.
    """
    with conn.cursor() as cursor:
        rows = cursor.execute(
            "SELECT run, value_a, value_b, shift, rank_a, rank_b, queries_a, queries_b, kendall_tau, tau_ap, rbo"
            " FROM impact(%s, %s, %s, %s::text[], %s, %s, %s)",
            [a, b, str(measure.checked()), list(runs), every, p, queries],
        ).fetchall()
    tau, tau_ap, rbo = rows[0][-3:] if rows else (None, None, None)
    return Impact(runs=[Shift(*row[:-3]) for row in rows], kendall_tau=tau, tau_ap=tau_ap, rbo=rbo)


@note_simulated("a", "b")
@translate()
def impact_queries(
    conn: psycopg.Connection,
    a: str,
    b: str,
    *,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    every: bool = False,
    queries: str = ALL,
) -> list[QueryShift]:
    """Return the shift of each run on each query, the largest in absolute value first.

    :raises UnknownObject, BadArgument, StateError: as for :func:`impact`.
    """
    return records(
        conn,
        QueryShift,
        "SELECT * FROM impact_queries(%s, %s, %s, %s::text[], %s, %s)"
        ' ORDER BY abs(shift) DESC NULLS LAST, run COLLATE "C", query COLLATE "C"',
        [a, b, str(measure.checked()), list(runs), every, queries],
    )
