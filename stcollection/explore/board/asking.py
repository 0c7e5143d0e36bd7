"""Requests and results of the leaderboard tab, and the equivalent command line and SQL."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from typing import NamedTuple, cast

import psycopg
from psycopg import sql

from stcollection.analysis.intervals import Interval
from stcollection.analysis.marks import MOST, Marked, MarkedRun, marked_leaderboard
from stcollection.analysis.measured import Reading, read_runs
from stcollection.analysis.records import ReadRun, SystemScore
from stcollection.analysis.significance import Correction, PairedTest, Test
from stcollection.analysis.systems import system_scores
from stcollection.analysis.tie_groups import tie_groups, top_group
from stcollection.analysis.ties import FEWEST, TieRules, rank_with_ties
from stcollection.errors import BadArgument, StateError, StcError, translate
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.readability import Readability, readability
from stcollection.evaluation.typed import measures_named
from stcollection.qrels.editions import EditionOverview, editions
from stcollection.qrels.simulated import simulated_note
from stcollection.topics.sets import ALL, query_sets
from stcollection.web.words import later

DRAWS, MOST_DRAWS = 10_000, 100_000
_ORIGINS = """
SELECT e.edition, array_agg(DISTINCT q.origin)
  FROM qrels_editions e JOIN qrels_judgments j ON j.edition = e.id JOIN st1_queries q ON q.id = j.query GROUP BY e.edition
"""
_EDITIONS = """
SELECT e.edition FROM qrels_editions e WHERE EXISTS (
    SELECT FROM qrels_judgments j JOIN query_set(%s) s ON s.id = j.query WHERE j.edition = e.id)
"""
_RUNS = "SELECT run FROM st1_runs ORDER BY run"
_ORIGIN_OF_RUNS = "SELECT run, team, family FROM st1_runs WHERE run = ANY (%s)"


class Choices(NamedTuple):
    """Choices in the form of the leaderboard.

    :param origins: origins of the judged queries, by edition. :param stored: stored sets with judged queries, by edition.
    """

    editions: list[EditionOverview]
    runs: list[str]
    origins: dict[str, list[str]]
    stored: dict[str, list[str]]

    def edition(self) -> str | None:
        """Return the edition to show first: the first test edition, else the first of all; None if no edition exists."""
        by_use = sorted(self.editions, key=lambda one: (one.split != "test", not one.judgments, one.edition))
        return by_use[0].edition if by_use else None

    def sets(self, edition: str) -> list[str]:
        """Return the sets of queries of an edition that can be selected; all queries first."""
        origins = self.origins.get(edition, [])
        synthetic = [one for one in origins if one != "human"]
        people = ["human"] if synthetic and "human" in origins else []
        several = ["synthetic"] if len(synthetic) > 1 else []
        return [ALL, *people, *several, *synthetic, *self.stored.get(edition, [])]


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


@translate()
def choices(conn: psycopg.Connection) -> Choices:
    """Return the editions, runs, origins and stored sets of queries to choose from."""
    runs = [run for (run,) in conn.execute(_RUNS)]
    stored: dict[str, list[str]] = {}
    for one in query_sets(conn):
        for (edition,) in conn.execute(_EDITIONS, [one.name]) if one.queries else ():
            stored.setdefault(edition, []).append(one.name)
    return Choices(editions(conn), runs, dict(conn.execute(_ORIGINS).fetchall()), stored)


def measures_of(ticked: tuple[str, ...], typed: str) -> tuple[Measure, ...]:
    """Return the selected and typed measures, each once.

    :raises UnknownObject, BadArgument: a measure does not exist. :raises BadArgument: no measure is selected.
    """
    found = tuple(measures_named([*ticked, *([typed] if typed.strip() else [])]))
    if not found:
        raise BadArgument(
            later("no measure is selected"), hint=later("Select a measure, or type one such as nDCG@10."), sqlstate="IR202"
        )
    return found


def runs_of(names: list[str], typed: str) -> tuple[str, ...]:
    """Return the runs whose name contains one of the typed words; empty, which means all, if no word is typed.

    :raises BadArgument: no run name contains any of the words.
    """
    words = [word.lower() for word in typed.replace(",", " ").split()]
    if not words:
        return ()
    found = tuple(name for name in names if any(word in name.lower() for word in words))
    if not found:
        raise BadArgument(
            later("no run name contains {words}", words=", ".join(words)),
            hint=later("Clear the filter to show all runs."),
            sqlstate="IR202",
        )
    return found


def draws_of(typed: float | None) -> int:
    """Return the number of permutations or bootstrap samples; the default if the field is empty.

    :raises BadArgument: the number is too large for a shared page.
    """
    draws = DRAWS if typed is None else int(typed)
    if draws > MOST_DRAWS:
        raise BadArgument(
            later("the page makes at most {most:,} permutations; got {draws:,}", most=MOST_DRAWS, draws=draws),
            hint=later("For more, use 'stc analysis leaderboard'."),
            sqlstate="IR202",
        )
    return draws


def baseline_of(names: list[str], runs: tuple[str, ...], chosen: str) -> str | None:
    """Return the selected baseline. With more runs than letters, default to the first run: all pairs cannot be marked."""
    if chosen in names:
        return chosen
    shown = runs or tuple(names)
    return shown[0] if len(shown) > MOST else None


def board(conn: psycopg.Connection, asked: BoardRequest) -> Board:
    """Compute the leaderboard.

    :raises UnknownObject: a run, the edition or a measure does not exist. :raises BadArgument: an argument is outside its range.
    :raises StateError: no run is stored.
    """
    marked = marked_leaderboard(
        conn,
        edition=asked.edition,
        measures=asked.measures,
        runs=asked.runs,
        baseline=asked.baseline,
        test=asked.paired,
        queries=asked.queries,
    )
    if not marked.lines:
        raise StateError(later("no runs are stored"), hint=later("Import a run with 'stc runs import'."), sqlstate="IR405")
    read: list[Readability] = []
    lacking: StcError | None = None
    if asked.readable:
        try:
            read = readability(conn, runs=[line.run for line in marked.lines], edition=asked.edition)
        except StateError as error:
            lacking = error
    names = [line.run for line in marked.lines]
    origins = {run: (team, family) for run, team, family in conn.execute(_ORIGIN_OF_RUNS, [names])}
    return Board(asked, marked, origins, {one.run: one for one in read}, lacking, simulated_note(conn, [asked.edition]))


def ranking(conn: psycopg.Connection, done: Board, measure: Measure) -> Ranking:
    """Rank a leaderboard by one of its measures, with intervals and groups of ties. Raises as :func:`board`."""
    asked, column = done.asked, done.asked.measures.index(measure)

    def value(line: MarkedRun) -> float:
        return line.cells[column].value

    lines = sorted(done.marked.lines, key=lambda line: (math.isnan(value(line)), -value(line)))
    there = [line for line in lines if not math.isnan(value(line))]
    ranks: dict[str, int] = {}
    for place, line in enumerate(there, 1):
        before = there[place - 2] if place > 1 else None
        tied = before is not None and math.isclose(value(before), value(line), abs_tol=1e-12)
        ranks[line.run] = ranks[before.run] if tied and before is not None else place
    if measure.kind.mean != "mean" or not there:
        return Ranking(measure, lines, ranks, [], {}, {})
    interval = Interval(alpha=asked.alpha)
    names = [line.run for line in lines] if asked.runs else []
    found = system_scores(conn, edition=asked.edition, measure=measure, runs=names, interval=interval, queries=asked.queries)
    by_run = {one.run: one for one in found}
    scores = [by_run[line.run] for line in there if line.run in by_run]
    if asked.baseline is None:
        spans: dict[str, tuple[int, int]] = {}
        if len(found[0].values) >= FEWEST:
            _, ranked = rank_with_ties(found, TieRules(alpha=asked.alpha))
            spans = {one.run: (one.rank_low, one.rank_high) for one in ranked}
        return Ranking(measure, lines, ranks, scores, tie_groups(lines, column), spans)
    best = there[0].run
    groups = top_group(
        conn, best=best, edition=asked.edition, measure=measure, runs=names, test=asked.paired, queries=asked.queries
    )
    return Ranking(measure, lines, ranks, scores, groups, {})


def reading(conn: psycopg.Connection, asked: BoardRequest, measure: Measure, against: str) -> BoardFigures:
    """Compute runs by relevance and a document measure. Raises as :func:`board`."""
    try:
        read = read_runs(
            conn,
            edition=asked.edition,
            measure=measure,
            reading=Reading(against),
            runs=asked.runs,
            interval=Interval(alpha=asked.alpha),
            queries=asked.queries,
        )
    except StateError as error:
        return BoardFigures(measure, against, [], error)
    return BoardFigures(measure, against, read, None)


def command(asked: BoardRequest, *, style: str | None = None) -> str:
    """Return the shell command that prints this leaderboard."""
    words = ["stc", "analysis", "leaderboard", "--edition", asked.edition]
    words += [word for measure in asked.measures for word in ("-m", str(measure))]
    words += ["--baseline", asked.baseline] if asked.baseline else []
    words += ["--queries", asked.queries] if asked.queries != ALL else []
    words += ["--test", asked.test, "--correction", asked.correction, "--alpha", f"{asked.alpha:g}"]
    words += ["--permutations", str(asked.permutations)] if asked.test in ("randomisation", "bootstrap") else []
    words += ["--format", style] if style else []
    return shlex.join([*words, *(["--", *asked.runs] if asked.runs else [])])


def statements(asked: BoardRequest) -> str:
    """Return SQL for psql: the means, and paired t-tests. It is only displayed, never run by the page."""
    runs, names = (_array(values) for values in (asked.runs, tuple(map(str, asked.measures))))
    edition, queries, measure = (sql.quote(one) for one in (asked.edition, asked.queries, str(asked.measures[0])))
    only = f", query_set => {queries}" if asked.queries != ALL else ""
    baseline = sql.quote(asked.baseline) if asked.baseline else "NULL"
    return (
        f"SELECT * FROM mean_scores({runs}, {edition}, {names}{only}) ORDER BY measure, value DESC;\n"  # noqa: S608
        f"SELECT * FROM compare_runs({edition}, {measure}, {runs}, {baseline}{only});"
    )


def _array(names: tuple[str, ...]) -> str:
    return f"ARRAY[{', '.join(sql.quote(name) for name in names)}]::text[]"
