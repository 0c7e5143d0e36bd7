"""Leaderboards with marks of significance: which runs beat which others by more than chance."""

from __future__ import annotations

import math
from string import ascii_lowercase
from typing import Annotated, NamedTuple

import psycopg

from stcollection.analysis.significance import STUDENT_TEST, PairedTest, RunComparison, compare
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, declare
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import Edition, Measures, QuerySet, Runs, edition_of, measures_of, runs_of, set_of
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
    simulated: str | None = None


@declare
@note_simulated("edition")
@translate()
def marked_leaderboard(
    conn: psycopg.Connection,
    runs: Runs = (),
    *,
    edition: Edition = None,
    measures: Measures = (nDCG @ 10,),
    baseline: Annotated[str | None, Option(metavar="RUN", default="compare all pairs")] = None,
    queries: QuerySet = ALL,
    test: PairedTest = STUDENT_TEST,
) -> Marked:
    """Rank runs by the first measure, and mark differences that are significant at the test's alpha after correction.

    A query for which a run has nothing scores 0 (trec_eval -c).

    :param baseline: Mark runs that are better (†) or worse (‡) than RUN.
    :returns: best run first.
    :raises UnknownObject: a run, the edition, a measure or the set does not exist.
    :raises BadArgument: without a baseline, there are more runs than letters; or an argument is outside its range.
    """
    if test.missing == "drop":
        hint = "The means of a leaderboard count a missing query as 0: omit `missing`, or use compare."
        raise BadArgument("missing is 'drop'", hint=hint, parameter="missing")
    edition, queries, measures, runs = edition_of(conn, edition), set_of(queries), measures_of(measures), runs_of(runs)
    named = [*runs, *([baseline] if runs and baseline is not None and baseline not in runs else [])]
    standings = leaderboard(conn, edition=edition, measures=measures, runs=named, queries=queries)
    if baseline is None and len(standings) > MOST:
        raise BadArgument(
            f"at most {MOST} runs can be marked with letters; got {len(standings)}", hint="Select fewer runs, or set `baseline`."
        )
    compared = compare(conn, edition=edition, measures=measures, runs=named, baseline=baseline, test=test, queries=queries)
    letters = {row.run: "" if baseline else letter for row, letter in zip(standings, ascii_lowercase * 99, strict=False)}
    by_pair = {(pair.measure, pair.run, pair.against): pair for pair in compared}
    best = [
        max((row.values[column] for row in standings if row.values[column] == row.values[column]), default=math.nan)
        for column in range(len(measures))
    ]
    lines = [
        MarkedRun(
            row.run,
            letters[row.run],
            tuple(
                _cell(
                    by_pair,
                    str(measure),
                    row.run,
                    value,
                    baseline,
                    letters,
                    test.alpha,
                    best=math.isclose(value, best[column], abs_tol=1e-12),
                )
                for column, (measure, value) in enumerate(zip(measures, row.values, strict=True))
            ),
        )
        for row in standings
    ]
    return Marked(lines, max((pair.queries for pair in compared), default=0), sum(not math.isnan(pair.p) for pair in compared))


def _cell(
    by_pair: dict[tuple[str, str, str], RunComparison],
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
        pair = by_pair.get((measure, run, baseline))
        p = pair.corrected if pair else math.nan
        mark = "" if pair is None or not p < alpha else BETTER if pair.difference > 0 else WORSE
        return MarkedMean(value, mark, p, best)
    beaten = [letter for other, letter in letters.items() if _beats(by_pair, measure, run, other, alpha)]
    return MarkedMean(value, "".join(beaten), math.nan, best)


def _beats(by_pair: dict[tuple[str, str, str], RunComparison], measure: str, run: str, other: str, alpha: float) -> bool:
    """Return True if run beats other, in whichever order the two were compared."""
    if (pair := by_pair.get((measure, run, other))) is not None:
        return pair.corrected < alpha and pair.difference > 0
    pair = by_pair.get((measure, other, run))
    return pair is not None and pair.corrected < alpha and pair.difference < 0
