"""The form of the leaderboard tab, and the equivalent command line and SQL."""

from __future__ import annotations

import shlex
from typing import NamedTuple

import psycopg
from psycopg import sql

from stcollection.analysis.board import DRAWS, MOST_DRAWS, BoardRequest
from stcollection.analysis.marks import MOST
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.typed import measures_named
from stcollection.qrels.editions import EditionOverview, editions
from stcollection.texts import later
from stcollection.topics.sets import ALL, query_sets

_ORIGINS = """
SELECT e.edition, array_agg(DISTINCT q.origin)
  FROM qrels_editions e JOIN qrels_judgments j ON j.edition = e.id JOIN st1_queries q ON q.id = j.query GROUP BY e.edition
"""
_EDITIONS = """
SELECT e.edition FROM qrels_editions e WHERE EXISTS (
    SELECT FROM qrels_judgments j JOIN query_set(%s) s ON s.id = j.query WHERE j.edition = e.id)
"""
_RUNS = "SELECT run FROM st1_runs ORDER BY run"


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
            hint=later("For more, use 'stc score --significance'."),
            sqlstate="IR202",
        )
    return draws


def baseline_of(names: list[str], runs: tuple[str, ...], chosen: str) -> str | None:
    """Return the selected baseline. With more runs than letters, default to the first run: all pairs cannot be marked."""
    if chosen in names:
        return chosen
    shown = runs or tuple(names)
    return shown[0] if len(shown) > MOST else None


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
