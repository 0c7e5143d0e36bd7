"""What another edition of the judgments does to scores and to the ranking of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate
from stcollection.evaluation.measures import Measure, nDCG


class Shift(NamedTuple):
    """A run by editions a and b: means, ranks (1 + how many score higher), and over how many queries.

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
    """A run on one query; None where an edition does not judge it. :param shift: value_b - value_a."""

    run: str
    query: str
    value_a: float | None
    value_b: float | None
    shift: float | None


@dataclass(frozen=True, kw_only=True)
class Impact:
    """The runs, best by b first, and how alike the two rankings of them are.

    :param kendall_tau: tau-b; :param tau_ap: a is the truth, b the estimate; :param rbo: rank-biased overlap.
        None for fewer than two runs, tau-b and tau_ap also where one edition ranks all alike.
    """

    runs: list[Shift]
    kendall_tau: float | None
    tau_ap: float | None
    rbo: float | None


@translate()
def impact(
    conn: psycopg.Connection,
    a: str,
    b: str,
    *,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    every: bool = False,
    p: float = 0.9,
) -> Impact:
    """Score stored runs on two editions, in one statement (sql/analysis/impact.sql).

    :param runs: names in st1_runs; all runs if empty.
    :param every: the mean by each edition is over all its queries, in place of those that both judge.
    :param p: persistence of the rank-biased overlap, in (0, 1).
    :raises UnknownObject: a run, an edition or the measure is not there.
    :raises BadArgument: p, or the cutoff, is out of range.
    :raises StateError: there is no run, or no query that both judge.
    """
    with conn.cursor() as cursor:
        rows = cursor.execute(
            "SELECT run, value_a, value_b, shift, rank_a, rank_b, queries_a, queries_b, kendall_tau, tau_ap, rbo"
            " FROM impact(%s, %s, %s, %s::text[], %s, %s)",
            [a, b, str(measure.checked()), list(runs), every, p],
        ).fetchall()
    tau, tau_ap, rbo = rows[0][-3:] if rows else (None, None, None)
    return Impact(runs=[Shift(*row[:-3]) for row in rows], kendall_tau=tau, tau_ap=tau_ap, rbo=rbo)


@translate()
def impact_queries(
    conn: psycopg.Connection, a: str, b: str, *, measure: Measure = nDCG @ 10, runs: Sequence[str] = (), every: bool = False
) -> list[QueryShift]:
    """The same for each query: largest shift, up or down, first.

    :raises UnknownObject, BadArgument, StateError: as for :func:`impact`.
    """
    with conn.cursor(row_factory=class_row(QueryShift)) as cursor:
        return cursor.execute(
            "SELECT * FROM impact_queries(%s, %s, %s, %s::text[], %s)"
            ' ORDER BY abs(shift) DESC NULLS LAST, run COLLATE "C", query COLLATE "C"',
            [a, b, str(measure.checked()), list(runs), every],
        ).fetchall()
