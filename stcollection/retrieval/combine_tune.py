"""Weights of relevance, readability and credibility, found on one edition of the judgments and reported on another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument, translate
from stcollection.moved import grouped
from stcollection.retrieval.combine import Combined, combine
from stcollection.retrieval.fuse import NewRun
from stcollection.retrieval.tune import keep_tuning, paired_t_test, shared_queries

MEASURES = ("textstat_fkgl", "citation_percentile")


@dataclass(frozen=True, kw_only=True)
class CombinationTuning:
    """Which combinations are tried, and which of them is chosen.

    :param measures: what relevance is combined with. :param transforms, missing: as for
        :func:`stcollection.retrieval.combine.combine`. :param steps: weights are multiples of 1/steps.
    :param cutoff: of nDCG, and of the first documents.
    :param give_up: how much of the best nDCG the chosen point may lack, as a share of it.
    """

    measures: Sequence[str] = MEASURES
    transforms: Mapping[str, str] | None = None
    missing: str = "mean"
    steps: int = 10
    cutoff: int = 10
    give_up: float = 0.02


TENTHS = CombinationTuning()


@dataclass(frozen=True, kw_only=True)
class TradeOff:
    """A point of the grid, on the train edition.

    :param ndcg: mean over its queries, in [0, 1].
    :param gain: mean transformed value of the measures over the first documents of the queries, in [0, 1].
    :param means: of each measure by itself, in its own unit; None where no document has it.
    :param curve: no other point gives more of one of ndcg and gain, and as much of the other. :param chosen: the one to take.
    """

    weights: Mapping[str, float]
    ndcg: float
    gain: float | None
    means: Mapping[str, float | None]
    curve: bool
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A value of the combined run beside that of the run it was made of, on the test edition.

    :param what: nDCG@k or a measure. :param source, combined: means over the queries where both have it, None where there is none.
    :param queries: how many these are. :param p: of the paired t-test, two-sided; None where it is not defined.
    """

    what: str
    source: float | None
    combined: float | None
    queries: int
    p: float | None


@dataclass(frozen=True, kw_only=True)
class TunedCombination:
    """A combination whose weights were tuned.

    :param points: all of the grid, most relevant first. :param run: the run by the chosen one.

    :param test: nDCG, then each measure; empty without a test edition.
    :param queries: those of the test edition; shared: of these, those that the train edition judges too.
    """

    points: list[TradeOff]
    run: Combined
    test: list[Contrast]
    queries: int
    shared: int


@grouped(tuning=CombinationTuning)
@translate()
def trade_offs(conn: psycopg.Connection, *, run: str, edition: str, tuning: CombinationTuning = TENTHS) -> list[TradeOff]:
    """What a run gives up and gains by each of many weights, most relevant first (sql/retrieval/combine_tune.sql).

    :raises UnknownObject: no such run, edition or measure. :raises BadArgument: an argument out of its range.
    :raises StateError: no document of the run has a measure.
    """
    combined = [list(tuning.measures), Jsonb(dict(tuning.transforms or {})), tuning.missing]
    with conn.transaction(), conn.cursor(row_factory=class_row(TradeOff)) as cursor:
        return cursor.execute(
            "SELECT * FROM combine_tune(%s, %s, %s, %s, %s, %s, %s, %s)",
            [run, edition, *combined, tuning.steps, tuning.cutoff, tuning.give_up],
        ).fetchall()


@grouped(into=NewRun, tuning=CombinationTuning)
@translate()
def tune_combination(
    conn: psycopg.Connection,
    *,
    run: str,
    into: NewRun,
    train: str,
    test: str | None = None,
    tuning: CombinationTuning = TENTHS,
) -> TunedCombination:
    """Choose weights on the train edition, store the run by them, and compare it with its source on the test edition.

    All or nothing. params of the run tells what it was tuned for, beside what combine_run records.

    :raises BadArgument: train and test are one edition; else as :func:`trade_offs` and :func:`combine`.
    """
    if test == train:
        raise BadArgument(
            f"tuned and tested on the same edition {train}",
            hint="What was tuned on judgments is good by these judgments: name another edition for --test.",
            sqlstate="IR202",
        )
    with conn.transaction():
        conn.execute("SELECT stc.combine_source(%s), stc.fusion_name(%s, ARRAY[%s], %s)", [run, into.name, run, into.replace])
        if test is not None:
            conn.execute("SELECT stc.edition_key(%s)", [test])
        points = trade_offs(conn, run=run, edition=train, tuning=tuning)
        best = next(point for point in points if point.chosen)
        done = combine(
            conn,
            run=run,
            name=into.name,
            weights=best.weights,
            transforms=tuning.transforms,
            missing=tuning.missing,
            depth=into.depth,
            replace=into.replace,
        )
        told = {"cutoff": tuning.cutoff, "steps": tuning.steps, "points": len(points), "give_up": tuning.give_up}
        keep_tuning(conn, into.name, {"edition": train, **told, "ndcg": best.ndcg, "gain": best.gain})
        contrasts: list[Contrast] = []
        queries = shared = 0
        if test is not None:
            contrasts, queries = _contrast(
                conn, source=run, combined=into.name, edition=test, measures=tuning.measures, cutoff=tuning.cutoff
            )
            shared = shared_queries(conn, train, test)
    vacuum(conn, "st1_rankings")
    return TunedCombination(points=points, run=done, test=contrasts, queries=queries, shared=shared)


def _contrast(
    conn: psycopg.Connection, *, source: str, combined: str, edition: str, measures: Sequence[str], cutoff: int
) -> tuple[list[Contrast], int]:
    """Two runs on an edition by nDCG and the measures of their first documents, and how many queries the edition has."""
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
        one, other = (values.get(what, {}).get(run, {}) for run in (source, combined))
        both = sorted(one.keys() & other.keys())
        before, after = [one[query] for query in both], [other[query] for query in both]
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
