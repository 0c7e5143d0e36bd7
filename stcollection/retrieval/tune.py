"""Tune the weights of a fusion on one edition of the judgments, and evaluate them on another."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import psycopg
from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.db.connection import vacuum
from stcollection.db.simulated import note_simulated
from stcollection.declared import INTERNAL, AllowedRange, Option, check_fields, declare
from stcollection.errors import BadArgument, translate
from stcollection.retrieval.fuse import Fused, FusionRule, Method, NewRun, Norm, fuse

Steps = Annotated[int, AllowedRange(ge=1, le=1000), Option(help="Number of steps of the grid: weights are multiples of 1/N.")]
TestEdition = Annotated[
    str | None, Option(metavar="EDITION", help="Edition to report the result on; must differ from the training edition.")
]


@dataclass(frozen=True, kw_only=True)
class FusionTuning:
    """Grid of fusions to try, and the measure to maximise.

    :param measure: a column of the SQL function evaluate: ndcg, precision_at, recall_at, reciprocal_rank, average_precision.
    :param method: Fusion method: reciprocal rank fusion, weighted sum of normalised scores, or that sum times the number of runs
        with the document.
    :param norm: Normalisation of scores, for sum and mnz.
    :param constants: Constant k of reciprocal rank fusion. Repeat it to tune it too.
    """

    measure: str = "ndcg"
    cutoff: Annotated[int, AllowedRange(ge=1), INTERNAL] = 10
    method: Method | str = "rrf"
    norm: Norm | str = "minmax"
    steps: Steps = 10
    constants: Annotated[Sequence[int], Option(each="constant")] = (60,)

    def __post_init__(self) -> None:
        check_fields(self)


TENTHS = FusionTuning()
TUNED = NewRun(name="tuned")


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point of the grid. :param constant: of rrf, else None. :param value: mean over the edition's queries, in [0, 1]."""

    weights: Mapping[str, float]
    constant: int | None
    value: float


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A run compared with the fused run, on the test edition.

    :param value: mean over the queries. :param difference: mean of the fused run minus this mean; None for the fused run itself.
    :param p: two-sided p-value of the paired t-test; None for the fused run, and if all differences are equal.
    """

    run: str
    value: float
    difference: float | None = None
    p: float | None = None


@dataclass(frozen=True, kw_only=True)
class TunedFusion:
    """A fusion with tuned weights.

    :param points: all points of the grid, best on the train edition first. :param fused: the run stored for the best point.
    :param test: the fused run, then its sources; empty without a test edition.
    :param queries: number of queries of the test edition. :param shared: how many of them the train edition also judges.
    """

    points: list[Point]
    fused: Fused
    test: list[Compared]
    queries: int
    shared: int
    simulated: str | None = None


@translate()
def tune(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str],
    edition: str,
    tuning: FusionTuning = TENTHS,
    depth: int = 1000,
) -> list[Point]:
    """Return the value of a fusion of stored runs for each point of the grid, best first (sql/retrieval/tune_fusion.sql).

    :raises UnknownObject: a run, the edition or the measure does not exist.
    :raises BadArgument: fewer than two runs, or an argument is out of range.
    """
    tried = [tuning.measure, tuning.cutoff, tuning.method, tuning.norm, tuning.steps, list(tuning.constants)]
    with conn.transaction(), conn.cursor(row_factory=class_row(Point)) as cursor:
        return cursor.execute(
            "SELECT * FROM tune_fusion(%s, %s, %s, %s, %s, %s, %s, %s, %s)", [list(runs), edition, *tried, depth]
        ).fetchall()


@declare
@note_simulated("train", "test")
@translate()
def tune_run(
    conn: psycopg.Connection,
    runs: Annotated[Sequence[str], Option("RUN...")],
    *,
    train: Annotated[str, Option(metavar="EDITION")],
    test: TestEdition = None,
    tuning: FusionTuning = TENTHS,
    into: NewRun = TUNED,
) -> TunedFusion:
    """Find the best weights of several runs on one edition, store the fused run, and report it on another edition.

    In one transaction. The params of the run record the tuning in addition to the entries of fuse_runs.

    :param runs: Stored runs. :param train: Edition to tune the weights on. :param name: Name for the run with the best weights.
    :raises BadArgument: train and test are the same edition; otherwise as :func:`tune` and :func:`fuse`.
    """
    check_apart(train, test)
    with conn.transaction():
        conn.execute("SELECT stc.fusion_name(%s, %s, %s)", [into.name, list(runs), into.replace])
        if test is not None:
            conn.execute("SELECT stc.evaluation_keys(%s, %s, '{1}')", [list(runs), test])
        points = tune(conn, runs=runs, edition=train, tuning=tuning, depth=into.depth)
        best = points[0]
        rule = FusionRule(method=tuning.method, norm=tuning.norm, constant=best.constant or 0)
        fused = fuse(conn, name=into.name, runs=runs, rule=rule, weights=best.weights, depth=into.depth, replace=into.replace)
        settings = {"measure": tuning.measure, "cutoff": tuning.cutoff, "steps": tuning.steps, "points": len(points)}
        keep_tuning(conn, into.name, {"edition": train, **settings, "value": best.value})
        compared: list[Compared] = []
        queries = shared = 0
        if test is not None:
            compared, queries = _compare(conn, into.name, runs, test, tuning)
            shared = shared_queries(conn, train, test)
    vacuum(conn, "stc.ranked_lists")
    return TunedFusion(points=points, fused=fused, test=compared, queries=queries, shared=shared)


def keep_tuning(conn: psycopg.Connection, name: str, tuned: Mapping[str, object]) -> None:
    """Record the tuning in the params of a run."""
    conn.execute(
        "UPDATE st1_runs SET params = params || jsonb_build_object('tuned', %s::jsonb) WHERE run = %s", [Jsonb(dict(tuned)), name]
    )
    conn.execute("SELECT stc.record_run(id) FROM st1_runs WHERE run = %s", [name])


def _compare(
    conn: psycopg.Connection, name: str, runs: Sequence[str], edition: str, tuning: FusionTuning
) -> tuple[list[Compared], int]:
    """Compare the fused run with its sources on an edition. :returns: values and number of queries."""
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


def paired_t_test(first: Any, second: Any) -> float | None:
    """Return the two-sided p-value of the paired t-test of two systems on the same queries.

    :param first, second: float[queries]. :returns: None if undefined: fewer than two queries, or all differences equal.
    """
    if len(first) < 2 or float(np.ptp(np.subtract(first, second))) == 0:
        return None
    stats: Any = importlib.import_module("scipy.stats")  # imported late: loading takes a second
    return float(stats.ttest_rel(first, second).pvalue)


def check_apart(train: str, test: str | None) -> None:
    """Check that tuning and test use different editions. :raises BadArgument: they are the same."""
    if test == train:
        raise BadArgument(
            f"tuned and tested on the same edition {train}",
            hint="Scores on the tuning edition are too optimistic: name another edition for --test.",
            sqlstate="IR202",
        )


def shared_queries(conn: psycopg.Connection, edition: str, other: str) -> int:
    """Return the number of queries that both editions judge."""
    row = conn.execute(
        "SELECT count(*) FROM (SELECT j.query FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = %s"
        " INTERSECT SELECT j.query FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = %s) s",
        [edition, other],
    ).fetchone()
    return int(row[0]) if row else 0
