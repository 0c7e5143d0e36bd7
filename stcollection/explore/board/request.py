"""The state of the leaderboard in its address, and the equivalent command and SQL.

``/leaderboard?edition=test&measures=nDCG@10,AP&by=AP&baseline=bm25``. Parameters that are missing or empty have defaults. A wrong
value is an error, so that a link never shows something else than it names.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

import psycopg
from psycopg import sql
from starlette.datastructures import QueryParams

from stcollection.analysis.board import DRAWS, MOST_DRAWS, BoardRequest
from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.marks import MOST
from stcollection.analysis.significance import TESTS
from stcollection.errors import BadArgument, StcError, translate
from stcollection.evaluation.measures import OFFICIAL, Measure, parse_measure
from stcollection.evaluation.typed import measures_named, names_typed
from stcollection.qrels.editions import EditionOverview, editions
from stcollection.texts import later
from stcollection.topics.sets import ALL, query_sets

PATH = "/leaderboard"
# What all pages of the view share; then what each adds.
SHARED = ("edition", "queries", "set", "measures", "by", "baseline", "runs", "test", "correction", "alpha", "draws", "readable")
TABLE = ("filter", "team", "family", "sort", "order", "start")
OTHERS = ("pair", "against", "on", "depth", "low", "high", "run", "below", "document", "people")
TICKED = tuple(str(measure) for measure in OFFICIAL)
OFFERED = (*TICKED, "R@100", "Judged@10")
ALPHA, BELOW = 0.05, 0.1
_LONGEST = 1000  # characters of a parameter
_ORIGINS = """
SELECT e.edition, array_agg(DISTINCT q.origin)
  FROM qrels_editions e JOIN qrels_judgments j ON j.edition = e.id JOIN st1_queries q ON q.id = j.query GROUP BY e.edition
"""
_EDITIONS = """
SELECT e.edition FROM qrels_editions e WHERE EXISTS (
    SELECT FROM qrels_judgments j JOIN query_set(%(set)s) s ON s.id = j.query WHERE j.edition = e.id)
"""
_RUNS = "SELECT run, team, family FROM st1_runs ORDER BY run"


class Choices(NamedTuple):
    """Choices in the form of the leaderboard.

    :param runs: team and family by run. :param origins: origins of the judged queries, by edition.
    :param stored: stored sets with judged queries, by edition.
    """

    editions: list[EditionOverview]
    runs: dict[str, tuple[str | None, str | None]]
    origins: dict[str, list[str]]
    stored: dict[str, list[str]]

    def edition(self) -> str | None:
        """Return the edition to show first: the first test edition, else the first of all; None if no edition exists."""
        by_use = sorted(self.editions, key=lambda edition: (edition.split != "test", not edition.judgments, edition.edition))
        return by_use[0].edition if by_use else None

    def sets(self, edition: str) -> list[str]:
        """Return the sets of queries of an edition that can be selected; all queries first."""
        origins = self.origins.get(edition, [])
        synthetic = [origin for origin in origins if origin != "human"]
        people = ["human"] if synthetic and "human" in origins else []
        several = ["synthetic"] if len(synthetic) > 1 else []
        return [ALL, *people, *several, *synthetic, *self.stored.get(edition, [])]


@dataclass(frozen=True, kw_only=True)
class BoardState:
    """What an address shows. :param given: its parameters, with the default edition. :param by: measure to rank by."""

    given: Mapping[str, str]
    request: BoardRequest
    by: Measure


@translate()
def choices(conn: psycopg.Connection) -> Choices:
    """Return the editions, runs, origins and stored sets of queries to choose from."""
    runs = {run: (team, family) for run, team, family in conn.execute(_RUNS)}
    stored: dict[str, list[str]] = {}
    for named in query_sets(conn):
        for (edition,) in conn.execute(_EDITIONS, {"set": named.name}) if named.queries else ():
            stored.setdefault(edition, []).append(named.name)
    return Choices(editions(conn), runs, dict(conn.execute(_ORIGINS).fetchall()), stored)


def read_state(params: QueryParams) -> dict[str, str]:
    """Return the parameters of an address: the last value of each name, and all measures. Missing ones are ''."""
    given = {name: params.get(name, "")[:_LONGEST].replace("\x00", "").strip() for name in (*SHARED, *TABLE, *OTHERS)}
    return given | {"measures": ", ".join(filter(None, params.getlist("measures")))[:_LONGEST]}


def address(given: Mapping[str, Any], page: str = "", **changes: Any) -> str:
    """Return the address of a page of the view, with what all pages share.

    :param page: such as ``/compare`` or ``.json``; '' is the table. :param changes: None removes a parameter.
    """
    state = {name: given[name] for name in SHARED} | changes
    return f"{PATH}{page}?{urlencode({name: value for name, value in state.items() if value not in (None, '')})}"


def board_state(given: Mapping[str, str], known: Choices) -> BoardState:
    """Read a leaderboard from the parameters of its address.

    :param given: with an edition. :raises UnknownObject, BadArgument: a value is wrong.
    """
    measures = measures_of(given["measures"])
    by = parse_measure(given["by"]) if given["by"] else measures[0]
    runs = runs_of(list(known.runs), given["runs"])
    request = BoardRequest(
        edition=given["edition"],
        measures=measures if by in measures else (*measures, by),
        runs=runs,
        baseline=baseline_of(list(known.runs), runs, given["baseline"]),
        queries=given["set"] or given["queries"] or ALL,
        test=_listed(later("the test is {value!r}"), given["test"] or TESTS[0], TESTS),
        correction=_listed(later("the correction is {value!r}"), given["correction"] or "holm", tuple(CORRECTIONS)),
        alpha=number(later("the significance level is {value!r}"), given["alpha"], ALPHA),
        permutations=draws_of(number(later("the number of permutations is {value!r}"), given["draws"], DRAWS)),
        readable=given["readable"] == "yes",
    )
    _ = request.paired  # raises if a value is out of range
    return BoardState(given=given, request=request, by=by)


def measures_of(typed: str) -> tuple[Measure, ...]:
    """Return the measures of a text, each once; the official ones if it is empty.

    :raises UnknownObject, BadArgument: a measure does not exist.
    """
    return tuple(measures_named([typed])) or OFFICIAL


def measure_names(typed: str) -> tuple[list[str], list[str]]:
    """Return the names of the measures to tick in the form, and the other names, unchanged if a measure does not exist."""
    try:
        names = [str(measure) for measure in measures_of(typed)]
    except StcError:  # the page reports it
        names = names_typed([typed])
    return [name for name in OFFERED if name in names], [name for name in names if name not in OFFERED]


def runs_of(names: list[str], typed: str) -> tuple[str, ...]:
    """Return the runs whose name contains one of the typed words; empty, which means all, if no word is typed.

    :raises BadArgument: no run name contains any of the words.
    """
    words = [word.lower() for word in typed.replace(",", " ").split()]
    if not words:
        return ()
    runs = tuple(name for name in names if any(word in name.lower() for word in words))
    if not runs:
        raise BadArgument(
            later("no run name contains {words}", words=", ".join(words)), hint=later("Clear the filter to show all runs.")
        )
    return runs


def draws_of(typed: float) -> int:
    """Return the number of permutations or bootstrap samples. :raises BadArgument: it is too large for a shared page."""
    draws = int(typed)
    if draws > MOST_DRAWS:
        raise BadArgument(
            later("the page makes at most {most:,} permutations; got {draws:,}", most=MOST_DRAWS, draws=draws),
            hint=later("For more, use 'stc score --significance'."),
        )
    return draws


def baseline_of(names: list[str], runs: tuple[str, ...], chosen: str) -> str | None:
    """Return the selected baseline. With more runs than letters, default to the first run: all pairs are too many to read."""
    if chosen:
        return chosen
    shown = runs or tuple(names)
    return shown[0] if len(shown) > MOST else None


def number(fault: str, typed: str, usual: float) -> float:
    """Return a typed number, or the usual one if nothing is typed.

    :param fault: message of the error, with the placeholder ``value``. :raises BadArgument: it is not a number.
    """
    try:
        value = float(typed) if typed else usual
    except ValueError:
        value = math.nan
    if not abs(value) < 1e9:
        raise BadArgument(later(fault, value=typed[:80]), hint=later("Enter a number, such as 0.1."))
    return value


def count(fault: str, typed: str, usual: int) -> int:
    """Return a typed integer of 0 or more. :raises BadArgument: it is something else."""
    if typed and not (typed.isdecimal() and len(typed) < 10):
        raise BadArgument(later(fault, value=typed[:80]), hint=later("Enter an integer, such as 10."))
    return int(typed) if typed else usual


def _listed(fault: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise BadArgument(later(fault, value=value[:80]), hint=later("Use one of {names}.", names=", ".join(allowed)))
    return value


def command(asked: BoardRequest, *, style: str | None = None) -> str:
    """Return the shell command that prints this leaderboard."""
    words = ["stc", "score", "--significance", "--edition", asked.edition]
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
    edition, queries, measure = (sql.quote(text) for text in (asked.edition, asked.queries, str(asked.measures[0])))
    only = f", query_set => {queries}" if asked.queries != ALL else ""
    baseline = sql.quote(asked.baseline) if asked.baseline else "NULL"
    return (
        f"SELECT * FROM mean_scores({runs}, {edition}, {names}{only}) ORDER BY measure, value DESC;\n"  # noqa: S608
        f"SELECT * FROM compare_runs({edition}, {measure}, {runs}, {baseline}{only});"
    )


def corrected_command(asked: BoardRequest, measure: Measure, people: str, baseline: str | None) -> str:
    """Return the shell command that prints the corrected scores, or the differences from a baseline."""
    words = ["stc", "score", "--labels", asked.edition, "--correct-with", people, "-m", str(measure)]
    words += ["--baseline", baseline] if baseline else []
    words += ["--queries", asked.queries] if asked.queries != ALL else []
    words += ["--alpha", f"{asked.alpha:g}"] if asked.alpha != ALPHA else []
    return shlex.join([*words, *(["--", *asked.runs] if asked.runs else [])])


def corrected_statement(asked: BoardRequest, measure: Measure, people: str, baseline: str | None) -> str:
    """Return SQL for psql that is equivalent to :func:`corrected_command`."""
    edition, of_people, name, queries = (sql.quote(text) for text in (asked.edition, people, str(measure), asked.queries))
    against = sql.quote(baseline) if baseline else "NULL"
    return (
        f"SELECT * FROM stc.corrected_scores({edition}, {of_people}, {name}, {_array(asked.runs)}, {against},"  # noqa: S608
        f" {asked.alpha:g}, {queries});"
    )


def _array(names: tuple[str, ...]) -> str:
    return f"ARRAY[{', '.join(sql.quote(name) for name in names)}]::text[]"
