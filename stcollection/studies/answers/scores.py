"""Precision, recall and F1 of runs of answer verification, with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import psycopg

from stcollection.analysis import paired
from stcollection.analysis.corrections import CORRECTIONS
from stcollection.db.rows import records
from stcollection.declared import INTERNAL, AllowedRange, Option, check_fields
from stcollection.errors import BadArgument, translate
from stcollection.studies.answers.parameters import AnswerRun, AnswerSet, Split

PARTS = ("template", "language")


@dataclass(frozen=True, kw_only=True)
class AnswerSampling:
    """How queries are resampled, and differences permuted; the same seed gives the same figures.

    :param draws: Bootstrap resamples and permutations of the test.
    :param seed: Seed of the bootstrap and the test.
    :param alpha: intervals have confidence 1 - alpha.
    :raises BadArgument: a value is outside its range.
    """

    draws: Annotated[int, AllowedRange(ge=1, le=1_000_000), Option("--resamples")] = 10_000
    seed: Annotated[int, AllowedRange(ge=0)] = 0
    alpha: Annotated[float, AllowedRange(gt=0, lt=1), INTERNAL] = 0.05

    def __post_init__(self) -> None:
        check_fields(self)


TEN_THOUSAND = AnswerSampling()


class AnswerScore(NamedTuple):
    """One row of answer_scores: a run on a query."""

    run: str
    place: int
    query: str
    template: str | None
    tp: int
    predicted: int
    gold: int
    precision: float
    recall: float
    f1: float


class AnswerMean(NamedTuple):
    """One row of answer_mean_scores. Means are None if no query has gold."""

    part: str | None
    run: str
    queries: int
    abstained: int
    without_gold: int
    precision: float | None
    recall: float | None
    f1: float | None
    micro_precision: float | None
    micro_recall: float | None
    micro_f1: float | None


class AnswerPlace(NamedTuple):
    """A run on the leaderboard of a split, or of a part of it.

    :param low: lower end of the interval of mean F1 with confidence 1 − alpha, BCa bootstrap over queries; None for fewer than two
        queries.
    :param p: randomisation test of F1 by query against the best run or the baseline; None for that run itself.
    :param corrected: p by Holm, over the runs of the part.
    """

    part: str | None
    run: str
    method: str
    params: dict[str, Any]
    queries: int
    abstained: int
    without_gold: int
    precision: float | None
    recall: float | None
    f1: float | None
    low: float | None
    high: float | None
    p: float | None
    corrected: float | None


@translate()
def scores(conn: psycopg.Connection, run: AnswerRun) -> list[AnswerScore]:
    """Return a run's scores on each query of its split, by place. :raises UnknownObject: the run does not exist."""
    return records(conn, AnswerScore, "SELECT * FROM stc.answer_scores(ARRAY[%s])", [run])


@translate()
def means(conn: psycopg.Connection, runs: Sequence[str], *, by: str | None = None) -> list[AnswerMean]:
    """Return mean scores of runs, for the whole split or by part.

    :param by: one of PARTS; None: the whole split.
    :raises UnknownObject: a run does not exist.
    """
    return records(conn, AnswerMean, "SELECT * FROM stc.answer_mean_scores(%s::text[], %s)", [list(runs), by])


@translate()
def leaderboard(
    conn: psycopg.Connection,
    *,
    set: AnswerSet,  # noqa: A002
    split: Split = "test",
    by: Annotated[str | None, Option(choices=PARTS)] = None,
    baseline: Annotated[str | None, Option(metavar="RUN", default="the best run")] = None,
    runs: Annotated[Sequence[str] | None, INTERNAL] = None,
    sampling: AnswerSampling = TEN_THOUSAND,
) -> list[AnswerPlace]:
    """Return the runs on a split, best mean F1 first, each with an interval and a test.

    :param split: Split of the data set. :param by: Print one leaderboard per template or language of the queries.
    :param baseline: Test each run against RUN.
    :param runs: only these runs; None: all runs of the split.
    :raises UnknownObject: the split or the baseline does not exist.
    :raises BadArgument: an argument is outside its range.
    """
    rows = conn.execute("SELECT * FROM stc.answer_leaderboard(%s, %s, %s)", [set, split, by]).fetchall()
    rows = rows if runs is None else [row for row in rows if row[1] in runs]
    if baseline is not None:
        conn.execute("SELECT stc.answer_run_key(%s)", [baseline])
        if rows and baseline not in {row[1] for row in rows}:
            raise BadArgument(f"the run {baseline!r} does not belong to {set} {split}", hint="Name a run of this split.")
    values: dict[tuple[str | None, str], list[float]] = {}
    for part, run, f1 in conn.execute(
        "SELECT stc.answer_part(s.query, s.template, %s), s.run, array_agg(s.f1 ORDER BY s.place)"
        " FROM stc.answer_scores(%s::text[]) s WHERE s.gold > 0 GROUP BY 1, 2",
        [by, list({row[1] for row in rows})],
    ):
        values[part, run] = f1
    standings: list[AnswerPlace] = []
    for part in dict.fromkeys(row[0] for row in rows):
        members = [row for row in rows if row[0] == part]
        standings.extend(places(members, values, baseline, sampling))
    return standings


def places(
    rows: list[tuple[Any, ...]],
    values: dict[tuple[str | None, str], list[float]],
    baseline: str | None,
    sampling: AnswerSampling,
) -> list[AnswerPlace]:
    """Return the runs of one part with their intervals and tests; all have the same queries.

    :param rows: the first fields of each AnswerPlace.
    :param values: F1 of each query with gold, by part and run.
    """
    part, count = rows[0][0], len(rows)
    table = np.array([values.get((part, row[1]), []) for row in rows], dtype=np.float64).T.reshape(-1, count)
    low, high, p = (np.full(count, np.nan) for _ in range(3))
    corrected = p.tolist()
    if len(table):
        against = 0 if baseline is None else [row[1] for row in rows].index(baseline)
        _, low, high = paired.bootstrap(table, resamples=sampling.draws, seed=sampling.seed, alpha=sampling.alpha)
        differences = np.round(table - table[:, [against]], 12)
        p = paired.randomisation(differences, permutations=sampling.draws, seed=sampling.seed)
        p[against] = np.nan
        corrected = [float(p_value) for p_value in CORRECTIONS["holm"](p.tolist())]
    return [
        AnswerPlace(*row, *(_known(value) for value in (low[at], high[at], p[at], corrected[at]))) for at, row in enumerate(rows)
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
