"""Leaderboards with marks of significance: which runs beat which others by more than chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_lowercase
from typing import NamedTuple

import psycopg

from stcollection.analysis.significance import STUDENT_TEST, PairedTest, RunComparison, compare
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.score import leaderboard
from stcollection.topics.sets import ALL

BETTER, WORSE = "†", "‡"  # than the baseline
MOST = len(ascii_lowercase)  # maximum number of runs marked with letters


class MarkedMean(NamedTuple):
    """The mean of a run by one measure.

    :param mark: BETTER or WORSE than the baseline; without a baseline, the letters of the runs that it beats; '' for none.
    :param p: corrected p of the difference from the baseline; NaN without a baseline, and for the baseline itself.
    :param best: no run has a higher mean.
    """

    value: float
    mark: str
    p: float
    best: bool


class MarkedRun(NamedTuple):
    """One row of a marked leaderboard.

    :param letter: this run's letter in the marks of other runs; '' if there is a baseline.
    """

    run: str
    letter: str
    cells: tuple[MarkedMean, ...]


class Marked(NamedTuple):
    """A leaderboard whose means are marked by significance tests.

    :param queries: number of queries that the means are over.
    :param tests: number of tests, over all measures.
    """

    lines: list[MarkedRun]
    queries: int
    tests: int


@translate()
def marked_leaderboard(
    conn: psycopg.Connection,
    *,
    edition: str,
    measures: Sequence[Measure],
    runs: Sequence[str] = (),
    baseline: str | None = None,
    test: PairedTest = STUDENT_TEST,
    queries: str = ALL,
) -> Marked:
    """Rank runs by the first measure, and mark differences that are significant at the test's alpha after correction.

    A query for which a run has nothing scores 0 (trec_eval -c).

    :param runs: names in st1_runs; all if empty.
    :param baseline: the run that others are compared with; None: all pairs.
    :param queries: a set of queries: ``type:long``, ``origin:t5``, a stored set (:func:`~stcollection.topics.sets.members`).
    :returns: best run first.
    :raises UnknownObject: a run, the edition, a measure or the set does not exist.
    :raises BadArgument: without a baseline, there are more runs than letters; or an argument is outside its range.
    """
    named = [*runs, *([baseline] if runs and baseline is not None and baseline not in runs else [])]
    standings = leaderboard(conn, edition=edition, measures=measures, runs=named, queries=queries)
    if baseline is None and len(standings) > MOST:
        raise BadArgument(
            f"at most {MOST} runs can be marked with letters; got {len(standings)}",
            hint="Select fewer runs, or set --baseline.",
            sqlstate="IR202",
        )
    found = compare(conn, edition=edition, measures=measures, runs=named, baseline=baseline, test=test, queries=queries)
    letters = {one.run: "" if baseline else letter for one, letter in zip(standings, ascii_lowercase * 99, strict=False)}
    told = {(one.measure, one.run, one.against): one for one in found}
    best = [
        max((one.values[column] for one in standings if one.values[column] == one.values[column]), default=math.nan)
        for column in range(len(measures))
    ]
    lines = [
        MarkedRun(
            one.run,
            letters[one.run],
            tuple(
                _cell(
                    told,
                    str(measure),
                    one.run,
                    value,
                    baseline,
                    letters,
                    test.alpha,
                    best=math.isclose(value, best[column], abs_tol=1e-12),
                )
                for column, (measure, value) in enumerate(zip(measures, one.values, strict=True))
            ),
        )
        for one in standings
    ]
    return Marked(lines, max((one.queries for one in found), default=0), sum(not math.isnan(one.p) for one in found))


def _cell(
    told: dict[tuple[str, str, str], RunComparison],
    measure: str,
    run: str,
    value: float,
    baseline: str | None,
    letters: dict[str, str],
    alpha: float,
    *,
    best: bool,
) -> MarkedMean:
    if baseline is not None:
        one = told.get((measure, run, baseline))
        p = one.corrected if one else math.nan
        mark = "" if one is None or not p < alpha else BETTER if one.difference > 0 else WORSE
        return MarkedMean(value, mark, p, best)
    beaten = [letter for other, letter in letters.items() if _beats(told, measure, run, other, alpha)]
    return MarkedMean(value, "".join(beaten), math.nan, best)


def _beats(told: dict[tuple[str, str, str], RunComparison], measure: str, run: str, other: str, alpha: float) -> bool:
    """Return True if run beats other, in whichever order the two were compared."""
    if (one := told.get((measure, run, other))) is not None:
        return one.corrected < alpha and one.difference > 0
    one = told.get((measure, other, run))
    return one is not None and one.corrected < alpha and one.difference < 0
