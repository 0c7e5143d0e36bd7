"""The leaderboard of an edition with marks of significance, ranks, intervals and readability, in one record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, cast

import psycopg

from stcollection.analysis.intervals import Interval
from stcollection.analysis.marks import Marked, MarkedRun, marked_leaderboard
from stcollection.analysis.measured import Reading, read_runs
from stcollection.analysis.records import ReadRun, SystemScore
from stcollection.analysis.significance import Correction, PairedTest, Test
from stcollection.analysis.systems import system_scores
from stcollection.analysis.tie_groups import tie_groups, top_group
from stcollection.analysis.ties import FEWEST, TieRules, rank_with_ties
from stcollection.db.simulated import simulated_note
from stcollection.errors import StateError, StcError
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.readability import Readability, readability
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
        raise StateError(later("no runs are stored"), hint=later("Import a run with 'stc load --as runs'."), sqlstate="IR405")
    read: list[Readability] = []
    lacking: StcError | None = None
    if request.readable:
        try:
            read = readability(conn, runs=[line.run for line in marked.lines], edition=request.edition)
        except StateError as error:
            lacking = error
    names = [line.run for line in marked.lines]
    origins = {run: (team, family) for run, team, family in conn.execute(_ORIGIN_OF_RUNS, [names])}
    return Board(request, marked, origins, {row.run: row for row in read}, lacking, simulated_note(conn, [request.edition]))


def ranking(conn: psycopg.Connection, computed: Board, measure: Measure) -> Ranking:
    """Rank a leaderboard by one of its measures, with intervals and groups of ties. Raises as :func:`board`."""
    request, column = computed.asked, computed.asked.measures.index(measure)

    def value(line: MarkedRun) -> float:
        return line.cells[column].value

    lines = sorted(computed.marked.lines, key=lambda line: (math.isnan(value(line)), -value(line)))
    there = [line for line in lines if not math.isnan(value(line))]
    ranks: dict[str, int] = {}
    for place, line in enumerate(there, 1):
        before = there[place - 2] if place > 1 else None
        tied = before is not None and math.isclose(value(before), value(line), abs_tol=1e-12)
        ranks[line.run] = ranks[before.run] if tied and before is not None else place
    if measure.kind.mean != "mean" or not there:
        return Ranking(measure, lines, ranks, [], {}, {})
    interval = Interval(alpha=request.alpha)
    names = [line.run for line in lines] if request.runs else []
    intervals = system_scores(
        conn, edition=request.edition, measure=measure, runs=names, interval=interval, queries=request.queries
    )
    by_run = {score.run: score for score in intervals}
    scores = [by_run[line.run] for line in there if line.run in by_run]
    if request.baseline is None:
        spans: dict[str, tuple[int, int]] = {}
        if len(intervals[0].values) >= FEWEST:
            _, ranked = rank_with_ties(intervals, TieRules(alpha=request.alpha))
            spans = {run.run: (run.rank_low, run.rank_high) for run in ranked}
        return Ranking(measure, lines, ranks, scores, tie_groups(lines, column), spans)
    best = there[0].run
    groups = top_group(
        conn, best=best, edition=request.edition, measure=measure, runs=names, test=request.paired, queries=request.queries
    )
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
