"""Tune weights of relevance, readability and credibility on one edition of the judgments, and evaluate them on another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.db.connection import vacuum
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import translate
from stcollection.retrieval.combine import Combined, Missing, Transforms, combine
from stcollection.retrieval.fuse import NewRun
from stcollection.retrieval.tune import Steps, TestEdition, check_tuning, keep_tuning, paired_t_test, shared_queries

MEASURES = ("textstat_fkgl", "citation_percentile")


@dataclass(frozen=True, kw_only=True)
class CombinationTuning:
    """Grid of combinations to try, and the rule that chooses one.

    :param measures: Measure to combine with relevance. Repeatable.
    :param cutoff: Cutoff of nDCG, and number of documents to average over.
    :param give_up: Largest acceptable loss of nDCG, as a share of the best nDCG.
    """

    measures: Annotated[Sequence[str], Option("-m", each="measure", metavar="MEASURE")] = MEASURES
    transforms: Transforms = None
    missing: Missing = "mean"
    steps: Steps = 10
    cutoff: Annotated[int, AllowedRange(ge=1)] = 10
    give_up: Annotated[float, AllowedRange(ge=0, le=1), Option("--max-loss")] = 0.02

    def __post_init__(self) -> None:
        check_fields(self)


TENTHS = CombinationTuning()
TUNED = NewRun(name="tuned-readable")


@dataclass(frozen=True, kw_only=True)
class TradeOff:
    """A point of the grid, evaluated on the train edition.

    :param ndcg: mean over the queries of the edition, in [0, 1].
    :param gain: mean transformed value of the measures over the documents up to the cutoff, in [0, 1].
    :param means: mean of each measure, in its unit; None if no document has a value.
    :param curve: True on the Pareto front of ndcg and gain. :param chosen: True for the chosen point.
    """

    weights: Mapping[str, float]
    ndcg: float
    gain: float | None
    means: Mapping[str, float | None]
    curve: bool
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A value of the combined run compared with that of its source run, on the test edition.

    :param what: nDCG@k or a measure. :param source, combined: means over the queries for which both have a value, or None.
    :param queries: number of these queries. :param p: two-sided p-value of the paired t-test; None if undefined.
    """

    what: str
    source: float | None
    combined: float | None
    queries: int
    p: float | None


@dataclass(frozen=True, kw_only=True)
class TunedCombination:
    """A combination with tuned weights.

    :param points: all points of the grid, highest weight of relevance first. :param run: the run stored for the chosen point.
    :param test: nDCG, then each measure; empty without a test edition.
    :param queries: number of queries of the test edition. :param shared: how many of them the train edition also judges.
    """

    points: list[TradeOff]
    run: Combined
    test: list[Contrast]
    queries: int
    shared: int
    simulated: str | None = None


@translate()
def trade_offs(conn: psycopg.Connection, *, run: str, edition: str, tuning: CombinationTuning = TENTHS) -> list[TradeOff]:
    """Return relevance and gain of a run for each point of a grid of weights, highest weight of relevance first.

    :raises UnknownObject: the run, the edition or a measure does not exist. :raises BadArgument: an argument is out of range.
    :raises StateError: no document of the run has a measure.
    """
    combined = [list(tuning.measures), Jsonb(dict(tuning.transforms or {})), tuning.missing]
    with conn.transaction(), conn.cursor(row_factory=class_row(TradeOff)) as cursor:
        return cursor.execute(
            "SELECT * FROM combine_tune(%s, %s, %s, %s, %s, %s, %s, %s)",
            [run, edition, *combined, tuning.steps, tuning.cutoff, tuning.give_up],
        ).fetchall()


@declare
@note_simulated("train", "test")
@translate()
def tune_combination(
    conn: psycopg.Connection,
    *,
    run: Annotated[str, Option("RUN")],
    train: Annotated[str, Option(metavar="EDITION")],
    test: TestEdition = None,
    tuning: CombinationTuning = TENTHS,
    into: NewRun = TUNED,
) -> TunedCombination:
    """Choose weights on the train edition, store the combined run, and compare it with its source on the test edition.

    In one transaction. The params of the run record the tuning in addition to the entries of combine_run.

    :param run: Stored run. :param train: Edition to choose the weights on.
    :param name: Name for the run with the chosen weights. :param depth: Number of documents per query in the new run.
    :raises BadArgument: as :func:`check_tuning`, :func:`trade_offs` and :func:`combine`.
    """
    with conn.transaction():
        check_tuning(conn, train, test)
        conn.execute("SELECT stc.combine_source(%s), stc.fusion_name(%s, ARRAY[%s], %s)", [run, into.name, run, into.replace])
        if test is not None:
            conn.execute("SELECT stc.edition_key(%s)", [test])
        points = trade_offs(conn, run=run, edition=train, tuning=tuning)
        best = next(point for point in points if point.chosen)
        stored = combine(
            conn,
            run=run,
            name=into.name,
            weights=best.weights,
            transforms=tuning.transforms,
            missing=tuning.missing,
            depth=into.depth,
            replace=into.replace,
        )
        settings = {"cutoff": tuning.cutoff, "steps": tuning.steps, "points": len(points), "give_up": tuning.give_up}
        keep_tuning(conn, into.name, {"edition": train, **settings, "ndcg": best.ndcg, "gain": best.gain})
        contrasts: list[Contrast] = []
        queries = shared = 0
        if test is not None:
            contrasts, queries = _contrast(
                conn, source=run, combined=into.name, edition=test, measures=tuning.measures, cutoff=tuning.cutoff
            )
            shared = shared_queries(conn, train, test)
    vacuum(conn, "stc.ranked_lists")
    return TunedCombination(points=points, run=stored, test=contrasts, queries=queries, shared=shared)


def _contrast(
    conn: psycopg.Connection, *, source: str, combined: str, edition: str, measures: Sequence[str], cutoff: int
) -> tuple[list[Contrast], int]:
    """Compare two runs on an edition by nDCG and by measures up to the cutoff. :returns: values and number of queries."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    relevance = f"nDCG@{cutoff}"
    for run, query, value in conn.execute(
        "SELECT run, query, ndcg FROM evaluate(%s, %s, %s)", [[source, combined], edition, [cutoff]]
    ):
        values.setdefault(relevance, {}).setdefault(run, {})[query] = value
    for run, query, measure, value in conn.execute(
        "SELECT run, query, measure, value FROM document_means(%s, %s, %s, %s)",
        [[source, combined], edition, list(measures), cutoff],
    ):
        values.setdefault(measure, {}).setdefault(run, {})[query] = value
    contrasts = []
    for what in (relevance, *measures):
        old, new = (values.get(what, {}).get(run, {}) for run in (source, combined))
        both = sorted(old.keys() & new.keys())
        before, after = [old[query] for query in both], [new[query] for query in both]
        contrasts.append(
            Contrast(
                what=what,
                source=sum(before) / len(both) if both else None,
                combined=sum(after) / len(both) if both else None,
                queries=len(both),
                p=paired_t_test(after, before),
            )
        )
    return contrasts, contrasts[0].queries
