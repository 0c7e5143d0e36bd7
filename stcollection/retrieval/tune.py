"""Tune the weights of a fusion on one edition of the judgments, and evaluate them on another."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import psycopg
from psycopg import sql
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
FEW = 50  # queries; the usual number of topics of a TREC track
TUNED = NewRun(name="tuned")
EQUAL = "equal weights"  # no name of a run has a space


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point of the grid. :param constant: of rrf, else None. :param value: mean over the edition's queries, in [0, 1]."""

    weights: Mapping[str, float]
    constant: int | None
    value: float


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A run compared with the fused run.

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
    :param validated: tuning, equal weights and the sources on the train edition, where the weights of each fold of queries are the
        best of the other folds; empty if all queries have one topic. :param judged: number of queries of the train edition.
    :param test: the fused run, then its sources; empty without a test edition.
    :param queries: number of queries of the test edition. :param shared: how many of them the train edition also judges.
    """

    points: list[Point]
    fused: Fused
    validated: list[Compared]
    judged: int
    test: list[Compared]
    queries: int
    shared: int
    simulated: str | None = None


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
    folds: Annotated[int, AllowedRange(ge=2)] = 5,
    system: Annotated[str | None, Option(metavar="NAME")] = None,
    into: NewRun = TUNED,
) -> TunedFusion:
    """Find the best weights of several runs on one edition, store the fused run, and report it on another edition.

    In one transaction. The params of the run record the tuning in addition to the entries of fuse_runs.

    :param runs: Stored runs. :param train: Edition to tune the weights on. :param name: Name for the run with the best weights.
    :param folds: Folds of the cross-validation on the training edition.
    :param system: Also store the weights as a system with this name.
    :raises BadArgument: as :func:`check_tuning`, :func:`fuse` and sql/retrieval/tune_fusion.sql; a system would be tuned on one
        topic.
    """
    with conn.transaction():
        check_tuning(conn, train, test)
        conn.execute("SELECT stc.fusion_name(%s, %s, %s)", [into.name, list(runs), into.replace])
        if test is not None:
            conn.execute("SELECT stc.evaluation_keys(%s, %s, '{1}')", [list(runs), test])
        points, validated, judged = _tuned(conn, into, runs, train, tuning, folds)
        best = points[0]
        rule = FusionRule(method=tuning.method, norm=tuning.norm, constant=best.constant or 0)
        fused = fuse(conn, name=into.name, runs=runs, rule=rule, weights=best.weights, depth=into.depth, replace=into.replace)
        settings = {"measure": tuning.measure, "cutoff": tuning.cutoff, "steps": tuning.steps, "points": len(points)}
        tuned: dict[str, object] = {"edition": train, **settings, "value": best.value, "queries": judged}
        if validated:
            tuned |= {"folds": folds, "validated": validated[0].value}
        keep_tuning(conn, into.name, tuned)
        if system is not None:
            _keep_system(conn, system, runs, rule, best, tuned)
        compared: list[Compared] = []
        queries = shared = 0
        if test is not None:
            values = _values(conn, [into.name, *runs], test, tuning)
            compared, queries = _compare(into.name, runs, values), len(values.get(into.name, ()))
            shared = shared_queries(conn, train, test)
    vacuum(conn, "stc.ranked_lists")
    return TunedFusion(
        points=points, fused=fused, validated=validated, judged=judged, test=compared, queries=queries, shared=shared
    )


def _tuned(
    conn: psycopg.Connection, into: NewRun, runs: Sequence[str], edition: str, tuning: FusionTuning, folds: int
) -> tuple[list[Point], list[Compared], int]:
    """Return the points of the grid, best first, their cross-validation, and the number of queries (fusion_folds.sql)."""
    tried = [tuning.measure, tuning.cutoff, tuning.method, tuning.norm, tuning.steps, list(tuning.constants)]
    rows = conn.execute(
        "SELECT query, value, even, weights, constant FROM stc.fusion_folds(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ORDER BY place",
        [list(runs), edition, *tried, into.depth, folds],
    ).fetchall()
    points = [
        Point(weights=dict(zip(runs, weights, strict=True)), constant=constant, value=value)
        for query, value, _, weights, constant in rows
        if query is None
    ]
    held = {query: (value, even) for query, value, even, *_ in rows if query is not None}
    values = _values(conn, runs, edition, tuning)
    judged = len(values[runs[0]])
    if not held:
        return points, [], judged
    even = {query: equal for query, (_, equal) in held.items() if equal is not None}
    values |= {into.name: {query: value for query, (value, _) in held.items()}, EQUAL: even}
    return points, _compare(into.name, [EQUAL, *runs] if even else runs, values), judged


def _keep_system(
    conn: psycopg.Connection, system: str, runs: Sequence[str], rule: FusionRule, best: Point, tuned: Mapping[str, object]
) -> None:
    """Store the best weights as a system (sql/retrieval/add_fusion.sql). :raises BadArgument: they are not cross-validated."""
    if "folds" not in tuned:
        raise BadArgument(
            f"all queries of {tuned['edition']} have one topic, so weights tuned on them cannot be validated",
            hint="Judge queries of more topics, or tune without --system.",
        )
    conn.execute(
        "SELECT stc.add_fusion(%s, %s, %s, %s, %s, %s, %s)",
        [system, list(runs), Jsonb(dict(best.weights)), rule.method, rule.norm, rule.constant, Jsonb(dict(tuned))],
    )


def keep_tuning(conn: psycopg.Connection, name: str, tuned: Mapping[str, object]) -> None:
    """Record the tuning in the params of a run."""
    conn.execute(
        "UPDATE st1_runs SET params = params || jsonb_build_object('tuned', %s::jsonb) WHERE run = %s", [Jsonb(dict(tuned)), name]
    )
    conn.execute("SELECT stc.record_run(id) FROM st1_runs WHERE run = %s", [name])


def _values(conn: psycopg.Connection, runs: Sequence[str], edition: str, tuning: FusionTuning) -> dict[str, dict[str, float]]:
    """Return the value of each run for each query of an edition."""
    values: dict[str, dict[str, float]] = {}
    for run, query, value in conn.execute(
        sql.SQL("SELECT run, query, {} FROM evaluate(%s, %s, %s)").format(sql.Identifier(tuning.measure)),
        [list(runs), edition, [tuning.cutoff]],
    ):
        values.setdefault(run, {})[query] = value
    return values


def _compare(name: str, runs: Sequence[str], values: Mapping[str, Mapping[str, float]]) -> list[Compared]:
    """Compare the fused run with others. :param values: by run and query."""
    queries = sorted(values.get(name, ()))
    # Rounded: weights that leave one run give its values, added in another order.
    table = {run: np.round([values[run][query] for query in queries], 12) for run in (name, *runs) if queries}
    compared = []
    for run, ours in table.items():
        mean = float(ours.mean())
        if run == name:
            compared.append(Compared(run=run, value=mean))
        else:
            compared.append(
                Compared(run=run, value=mean, difference=float((table[name] - ours).mean()), p=paired_t_test(table[name], ours))
            )
    return compared


def paired_t_test(first: Any, second: Any) -> float | None:
    """Return the two-sided p-value of the paired t-test of two systems on the same queries.

    :param first, second: float[queries]. :returns: None for fewer than two queries, or if all differences are equal to 12 places.
    """
    if len(first) < 2 or float(np.ptp(np.subtract(first, second))) < 1e-12:
        return None
    stats: Any = importlib.import_module("scipy.stats")  # imported late: loading takes a second
    return float(stats.ttest_rel(first, second).pvalue)


def check_tuning(conn: psycopg.Connection, train: str, test: str | None) -> None:
    """Check the editions of a tuning. :raises BadArgument: they are the same, or train is hidden or a test edition."""
    conn.execute("SELECT stc.check_training(%s)", [train])
    if test == train:
        raise BadArgument(
            f"tuned and tested on the same edition {train}",
            hint="Scores on the tuning edition are too optimistic: name another edition for --test.",
        )


def shared_queries(conn: psycopg.Connection, edition: str, other: str) -> int:
    """Return the number of queries that both editions judge."""
    row = conn.execute(
        "SELECT count(*) FROM (SELECT j.query FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = %s"
        " INTERSECT SELECT j.query FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = %s) s",
        [edition, other],
    ).fetchone()
    return int(row[0]) if row else 0
