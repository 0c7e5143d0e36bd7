"""The leaderboard of an edition with marks of significance, ranks, intervals and readability, in one record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, cast

import psycopg

from stcollection.analysis.intervals import Interval
from stcollection.analysis.marks import BETTER, MOST, WORSE, Marked, MarkedRun, marked_leaderboard
from stcollection.analysis.measured import Reading, read_runs
from stcollection.analysis.records import ReadRun, SystemScore
from stcollection.analysis.significance import Correction, PairedTest, RunComparison, Test, compare, compare_grids
from stcollection.analysis.systems import system_scores
from stcollection.analysis.tie_groups import pair_groups, tie_groups, undefeated
from stcollection.analysis.ties import FEWEST, TieRules, rank_with_ties
from stcollection.db.simulated import simulated_note
from stcollection.errors import StateError, StcError, translate
from stcollection.evaluation.judging import JudgingRun, judging_runs
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.readability import Readability, readability
from stcollection.evaluation.score import leaderboard
from stcollection.texts import later
from stcollection.topics.sets import ALL

DRAWS, MOST_DRAWS = 10_000, 100_000
_ORIGIN_OF_RUNS = "SELECT run, team, family FROM st1_runs WHERE run = ANY (%s)"


@dataclass(frozen=True, kw_only=True)
class BoardRequest:
    """A request for a leaderboard.

    :param runs: runs to show; empty: all. :param readable: include the readability of the first ten documents.
    """

    edition: str
    measures: tuple[Measure, ...] = OFFICIAL
    runs: tuple[str, ...] = ()
    baseline: str | None = None
    queries: str = ALL
    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    permutations: int = DRAWS
    readable: bool = False

    @property
    def paired(self) -> PairedTest:
        """Return the significance test of two runs. :raises BadArgument: a value is outside its range."""
        test, correction = cast(Test, self.test), cast(Correction, self.correction)
        return PairedTest(kind=test, permutations=self.permutations, correction=correction, alpha=self.alpha)


class Board(NamedTuple):
    """A leaderboard.

    :param origins: team and family by run. :param readable: readability by run.
    :param lacking: why readability is missing, or None.
    :param simulated: note on simulated judgments, or None.
    """

    asked: BoardRequest
    marked: Marked
    origins: dict[str, tuple[str | None, str | None]]
    readable: dict[str, Readability]
    lacking: StcError | None
    simulated: str | None


class Ranking(NamedTuple):
    """A leaderboard by one of its measures.

    :param runs: best first, runs without a value last. :param ranks: by run; runs with equal values have the same rank.
    :param scores: means with intervals, in the order of runs; empty if the measure is not a mean over queries.
    :param groups: letter by run of the runs that are not significantly different from the best of the group.
    :param spans: first and last possible rank by run; empty with a baseline, or for a single query.
    """

    measure: Measure
    runs: list[MarkedRun]
    ranks: dict[str, int]
    scores: list[SystemScore]
    groups: dict[str, str]
    spans: dict[str, tuple[int, int]]


class Standings(NamedTuple):
    """The runs of an edition, ranked and tested by one measure. Without letters, so for any number of runs.

    :param means: by run, in the order of the measures; best run first, runs without a value last.
    :param queries: number of queries that the means are over; 0 if the measure is not a mean over queries.
    :param ranks, scores, groups, spans: as in :class:`Ranking`.
    :param marks: BETTER or WORSE than the baseline, by run and measure.
    :param origins, readable, lacking, simulated: as in :class:`Board`. :param judging: runs that the labels may favour.
    """

    asked: BoardRequest
    measure: Measure
    means: dict[str, tuple[float, ...]]
    queries: int
    ranks: dict[str, int]
    scores: dict[str, SystemScore]
    groups: dict[str, str]
    spans: dict[str, tuple[int, int]]
    marks: dict[tuple[str, str], str]
    origins: dict[str, tuple[str | None, str | None]]
    readable: dict[str, Readability]
    lacking: StcError | None
    simulated: str | None
    judging: list[JudgingRun]


class BoardFigures(NamedTuple):
    """Runs by relevance and a document measure. :param lacking: why the document measure is missing, or None."""

    measure: Measure
    against: str
    read: list[ReadRun]
    lacking: StcError | None


def board(conn: psycopg.Connection, request: BoardRequest) -> Board:
    """Compute the leaderboard.

    :raises UnknownObject: a run, the edition or a measure does not exist. :raises BadArgument: an argument is outside its range.
    :raises StateError: no run is stored.
    """
    marked = marked_leaderboard(
        conn,
        edition=request.edition,
        measures=request.measures,
        runs=request.runs,
        baseline=request.baseline,
        test=request.paired,
        queries=request.queries,
    )
    if not marked.lines:
        raise no_runs()
    names = [line.run for line in marked.lines]
    return Board(request, marked, *_about(conn, request, names), simulated_note(conn, [request.edition]))


def no_runs() -> StateError:
    """Return the error for a collection without runs."""
    return StateError(later("no runs are stored"), hint=later("Import a run with 'stc load --as runs'."), sqlstate="IR405")


def _about(
    conn: psycopg.Connection, request: BoardRequest, runs: list[str]
) -> tuple[dict[str, tuple[str | None, str | None]], dict[str, Readability], StcError | None]:
    """Return team and family of runs, their readability if it is requested, and why it is missing."""
    origins = {run: (team, family) for run, team, family in conn.execute(_ORIGIN_OF_RUNS, [runs])}
    if not request.readable:
        return origins, {}, None
    try:
        return origins, {row.run: row for row in readability(conn, runs=runs, edition=request.edition)}, None
    except StateError as error:
        return origins, {}, error


@translate()
def standings(conn: psycopg.Connection, request: BoardRequest, measure: Measure) -> Standings:
    """Rank and test runs by one of the measures of a leaderboard, whose scores are read once.

    With more than MOST runs, only means by this measure have marks, because others need the scores of all runs again.

    :raises UnknownObject, BadArgument, StateError: as for :func:`board`; the number of runs is not limited.
    """
    baseline, test, column = request.baseline, request.paired, request.measures.index(measure)
    named = [*request.runs, *([baseline] if request.runs and baseline and baseline not in request.runs else [])]
    if baseline is not None:
        conn.execute("SELECT stc.run_keys(%s)", [[baseline]])  # raises if it does not exist
    rows = leaderboard(conn, edition=request.edition, measures=request.measures, runs=named, queries=request.queries)
    if not rows:
        raise no_runs()
    order = sorted(rows, key=lambda row: (math.isnan(row.values[column]), -row.values[column], row.run))
    rated = [(row.run, row.values[column]) for row in order if not math.isnan(row.values[column])]
    scores, spans = _intervals(conn, request, measure, named) if rated else ([], {})
    tests: list[RunComparison] = []
    groups: dict[str, str] = {}
    if scores and baseline is None:
        groups = pair_groups([run for run, _ in rated], _pairs(scores, measure, None, test), alpha=test.alpha)
    elif scores:
        tests = _pairs(scores, measure, baseline, test)
        groups = undefeated(rated[0][0], _pairs(scores, measure, rated[0][0], test), alpha=test.alpha)
    others = [other for other in request.measures if other != measure or not scores]
    if baseline is not None and others and len(rows) <= MOST:
        tests += compare(
            conn, named, edition=request.edition, measures=others, baseline=baseline, queries=request.queries, test=test
        )
    signs = {True: BETTER, False: WORSE}
    marks = {(pair.run, pair.measure): signs[pair.difference > 0] for pair in tests if pair.corrected < test.alpha}
    means = {row.run: row.values for row in order}
    queries = len(scores[0].values) if scores else 0
    by_run, about = {score.run: score for score in scores}, _about(conn, request, list(means))
    judging = judging_runs(conn, request.edition, runs=named, measure=measure, queries=request.queries)
    return Standings(request, measure, means, queries, _ranks(rated), by_run, groups, spans, marks, *about, rows.simulated, judging)


def _intervals(
    conn: psycopg.Connection, request: BoardRequest, measure: Measure, runs: list[str]
) -> tuple[list[SystemScore], dict[str, tuple[int, int]]]:
    """Return means with intervals and the possible ranks of each run, as :class:`Ranking` has them. :param runs: empty: all."""
    if measure.kind.mean != "mean":
        return [], {}
    interval = Interval(alpha=request.alpha)
    scores = system_scores(conn, edition=request.edition, measure=measure, runs=runs, interval=interval, queries=request.queries)
    if request.baseline is not None or len(scores[0].values) < FEWEST:
        return scores, {}
    _, ranked = rank_with_ties(scores, TieRules(alpha=request.alpha))
    return scores, {run.run: (run.rank_low, run.rank_high) for run in ranked}


def _pairs(scores: list[SystemScore], measure: Measure, baseline: str | None, test: PairedTest) -> list[RunComparison]:
    grid = {score.run: score.values for score in scores}
    return compare_grids([(str(measure), grid)], baseline=baseline, test=test) if baseline is None or baseline in grid else []


def _ranks(values: list[tuple[str, float]]) -> dict[str, int]:
    """Return the ranks of runs; equal values have the same rank. :param values: best first."""
    ranks: dict[str, int] = {}
    for place, (run, value) in enumerate(values, 1):
        before = values[place - 2] if place > 1 else None
        tied = before is not None and math.isclose(before[1], value, abs_tol=1e-12)
        ranks[run] = ranks[before[0]] if tied and before is not None else place
    return ranks


def ranking(conn: psycopg.Connection, computed: Board, measure: Measure) -> Ranking:
    """Rank a leaderboard by one of its measures, with intervals and groups of ties. Raises as :func:`board`."""
    request, column = computed.asked, computed.asked.measures.index(measure)

    def value(line: MarkedRun) -> float:
        return line.cells[column].value

    lines = sorted(computed.marked.lines, key=lambda line: (math.isnan(value(line)), -value(line)))
    there = [line for line in lines if not math.isnan(value(line))]
    ranks = _ranks([(line.run, value(line)) for line in there])
    names = [line.run for line in lines] if request.runs else []
    intervals, spans = _intervals(conn, request, measure, names) if there else ([], {})
    if not intervals:
        return Ranking(measure, lines, ranks, [], {}, {})
    by_run = {score.run: score for score in intervals}
    scores = [by_run[line.run] for line in there if line.run in by_run]
    if request.baseline is None:
        return Ranking(measure, lines, ranks, scores, tie_groups(lines, column), spans)
    best = there[0].run
    groups = undefeated(best, _pairs(intervals, measure, best, request.paired), alpha=request.alpha)
    return Ranking(measure, lines, ranks, scores, groups, {})


def reading(conn: psycopg.Connection, request: BoardRequest, measure: Measure, against: str) -> BoardFigures:
    """Compute runs by relevance and a document measure. Raises as :func:`board`."""
    try:
        read = read_runs(
            conn,
            edition=request.edition,
            measure=measure,
            reading=Reading(against),
            runs=request.runs,
            interval=Interval(alpha=request.alpha),
            queries=request.queries,
        )
    except StateError as error:
        return BoardFigures(measure, against, [], error)
    return BoardFigures(measure, against, read, None)
