"""Weights of a fusion, found on one edition of the judgments and reported on another."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument, translate
from stcollection.moved import grouped
from stcollection.retrieval.fuse import Fused, FusionRule, NewRun, fuse


@dataclass(frozen=True, kw_only=True)
class FusionTuning:
    """Which fusions are tried, and what they are to make best.

    :param measure: a column of the SQL function evaluate: ndcg, precision_at, recall_at, reciprocal_rank, average_precision.
    :param method, norm: as :class:`stcollection.retrieval.fuse.FusionRule` has them.
    :param steps: weights are multiples of 1/steps. :param constants: of rrf, each with all weights.
    """

    measure: str = "ndcg"
    cutoff: int = 10
    method: str = "rrf"
    norm: str = "minmax"
    steps: int = 10
    constants: Sequence[int] = (60,)


TENTHS = FusionTuning()


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point of the grid. :param constant: of rrf, else None. :param value: mean over the queries of the edition, in [0, 1]."""

    weights: Mapping[str, float]
    constant: int | None
    value: float


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A run beside the fused one, on the test edition.

    :param value: mean over the queries. :param difference: the fused run's mean minus it; None for the fused run itself.
    :param p: of the paired t-test, two-sided; None for the fused run, and where all differences are one value.
    """

    run: str
    value: float
    difference: float | None = None
    p: float | None = None


@dataclass(frozen=True, kw_only=True)
class TunedFusion:
    """A fusion whose weights were tuned.

    :param points: all of the grid, best on the train edition first. :param fused: the run by the first of them.

    :param test: the fused run, then its parts; empty without a test edition.
    :param queries: those of the test edition; shared: of these, those that the train edition judges too.
    """

    points: list[Point]
    fused: Fused
    test: list[Compared]
    queries: int
    shared: int


@grouped(tuning=FusionTuning)
@translate()
def tune(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str],
    edition: str,
    tuning: FusionTuning = TENTHS,
    depth: int = 1000,
) -> list[Point]:
    """The value of the fusion of stored runs for each of many weights, best first (sql/retrieval/tune_fusion.sql).

    :raises UnknownObject: a run, the edition or the measure is not there.
    :raises BadArgument: fewer than two runs, or an argument out of its range.
    """
    tried = [tuning.measure, tuning.cutoff, tuning.method, tuning.norm, tuning.steps, list(tuning.constants)]
    with conn.transaction(), conn.cursor(row_factory=class_row(Point)) as cursor:
        return cursor.execute(
            "SELECT * FROM tune_fusion(%s, %s, %s, %s, %s, %s, %s, %s, %s)", [list(runs), edition, *tried, depth]
        ).fetchall()


@grouped(into=NewRun, tuning=FusionTuning)
@translate()
def tune_run(
    conn: psycopg.Connection,
    *,
    into: NewRun,
    runs: Sequence[str],
    train: str,
    test: str | None = None,
    tuning: FusionTuning = TENTHS,
) -> TunedFusion:
    """Tune on the train edition, store the fused run with the best weights, and compare it with its parts on the test edition.

    All or nothing. params of the run tells what it was tuned for, beside what fuse_runs records.

    :raises BadArgument: train and test are one edition; else as :func:`tune` and :func:`fuse`.
    """
    if test == train:
        raise BadArgument(
            f"tuned and tested on the same edition {train}",
            hint="What was tuned on judgments is good by these judgments: name another edition for --test.",
            sqlstate="IR202",
        )
    with conn.transaction():
        conn.execute("SELECT stc.fusion_name(%s, %s, %s)", [into.name, list(runs), into.replace])
        if test is not None:
            conn.execute("SELECT stc.evaluation_keys(%s, %s, '{1}')", [list(runs), test])
        points = tune(conn, runs=runs, edition=train, tuning=tuning, depth=into.depth)
        best = points[0]
        rule = FusionRule(method=tuning.method, norm=tuning.norm, constant=best.constant or 0)
        fused = fuse(conn, name=into.name, runs=runs, rule=rule, weights=best.weights, depth=into.depth, replace=into.replace)
        told = {"measure": tuning.measure, "cutoff": tuning.cutoff, "steps": tuning.steps, "points": len(points)}
        keep_tuning(conn, into.name, {"edition": train, **told, "value": best.value})
        compared: list[Compared] = []
        queries = shared = 0
        if test is not None:
            compared, queries = _compare(conn, into.name, runs, test, tuning)
            shared = shared_queries(conn, train, test)
    vacuum(conn, "st1_rankings")
    return TunedFusion(points=points, fused=fused, test=compared, queries=queries, shared=shared)


def keep_tuning(conn: psycopg.Connection, name: str, tuned: Mapping[str, object]) -> None:
    """Add to the params of a run what it was tuned for."""
    conn.execute(
        "UPDATE st1_runs SET params = params || jsonb_build_object('tuned', %s::jsonb) WHERE run = %s", [Jsonb(dict(tuned)), name]
    )
    conn.execute("SELECT stc.record_run(id) FROM st1_runs WHERE run = %s", [name])


def _compare(
    conn: psycopg.Connection, name: str, runs: Sequence[str], edition: str, tuning: FusionTuning
) -> tuple[list[Compared], int]:
    """The fused run and its parts on an edition, and how many queries that has."""
    values: dict[str, dict[str, float]] = {}
    for run, query, value in conn.execute(
        sql.SQL("SELECT run, query, {} FROM evaluate(%s, %s, %s)").format(sql.Identifier(tuning.measure)),
        [[name, *runs], edition, [tuning.cutoff]],
    ):
        values.setdefault(run, {})[query] = value
    queries = sorted(values.get(name, ()))
    table = {run: np.array([values[run][query] for query in queries]) for run in (name, *runs) if queries}
    compared = []
    for run, ours in table.items():
        mean = float(ours.mean())
        if run == name:
            compared.append(Compared(run=run, value=mean))
        else:
            compared.append(
                Compared(run=run, value=mean, difference=float(table[name].mean()) - mean, p=paired_t_test(table[name], ours))
            )
    return compared, len(queries)


def paired_t_test(one: Any, other: Any) -> float | None:
    """The two-sided p-value of the paired t-test of two systems' values of the same queries.

    :param one, other: float[queries]. :returns: None where it is not defined: fewer than two queries, or all differences equal.
    """
    if len(one) < 2 or float(np.ptp(np.subtract(one, other))) == 0:
        return None
    stats: Any = importlib.import_module("scipy.stats")  # when it is needed: it takes a second to load
    return float(stats.ttest_rel(one, other).pvalue)


def shared_queries(conn: psycopg.Connection, one: str, other: str) -> int:
    """How many queries two editions both judge."""
    row = conn.execute(
        "SELECT count(*) FROM (SELECT j.query FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = %s"
        " INTERSECT SELECT j.query FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = %s) s",
        [one, other],
    ).fetchone()
    return int(row[0]) if row else 0
