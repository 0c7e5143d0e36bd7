"""Details behind the means: scores of runs query by query, and the documents they retrieved for one query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.declared import INTERNAL, AllowedRange, Option, declare
from stcollection.errors import translate
from stcollection.evaluation.parameters import MeasureName, NamedEdition, QuerySet, Runs, only_measure, runs_of, set_of
from stcollection.topics.sets import ALL

_SCORES = (
    "SELECT g.query, q.text, q.origin, g.value, g.value_against, g.mean, round((g.value - g.value_against)::numeric, 12)::float8"
    " FROM (SELECT query, max(value) FILTER (WHERE run = %s) AS value, max(value) FILTER (WHERE run = %s) AS value_against,"
    "              avg(value ORDER BY run) AS mean"
    "        FROM stc.score_grid(%s::text[], %s, %s, query_set => %s) GROUP BY query) g"
    ' JOIN st1_queries q ON q.query = g.query COLLATE "C" ORDER BY 7 DESC NULLS LAST, g.query COLLATE "C"'
)
_HARD = (
    "SELECT g.query, q.text, q.origin, g.best, g.run, g.mean"
    " FROM (SELECT query, max(value) AS best, (array_agg(run ORDER BY value DESC, run))[1] AS run, avg(value ORDER BY run) AS mean"
    "        FROM stc.score_grid(%s::text[], %s, %s, query_set => %s) GROUP BY query HAVING max(value) < %s) g"
    ' JOIN st1_queries q ON q.query = g.query COLLATE "C" ORDER BY g.best, g.mean, g.query COLLATE "C"'
)


class QueryScore(NamedTuple):
    """The scores of two runs on a query; 0 if a run has nothing for it.

    :param mean: mean score of all runs.
    :param difference: value - value_against rounded to twelve places, as in the SQL function paired_scores.
    """

    query: str
    text: str | None
    origin: str
    value: float | None
    value_against: float | None
    mean: float
    difference: float | None


class Retrieved(NamedTuple):
    """A ranked document.

    :param rel: None if it is not judged.
    :param elsewhere: its best rank in the other run; None if that run did not retrieve it.
    """

    run: str
    rank: int
    doc: int
    docno: str
    title: str | None
    rel: int | None
    origin: str | None
    elsewhere: int | None


class HardQuery(NamedTuple):
    """A query on which every run scores below a threshold.

    :param best: the highest score, reached by ``run``. :param mean: mean score of the runs.
    """

    query: str
    text: str | None
    origin: str
    best: float
    run: str
    mean: float


@declare
@translate()
def query_scores(
    conn: psycopg.Connection,
    *,
    run: Annotated[str, Option(listed="show runs")],
    against: Annotated[str, Option(listed="show runs")],
    edition: NamedEdition,
    measure: MeasureName = "nDCG@10",
    queries: QuerySet = ALL,
    of_all: Annotated[bool, INTERNAL] = True,
) -> list[QueryScore]:
    """Return the queries of an edition with the scores of two runs, the largest gain of ``run`` over ``against`` first.

    :param run: Name of a run. :param against: Run to compare it with.
    :param of_all: ``mean`` is the mean of all runs, whose scores are read; else of these two.
    :raises UnknownObject: a run, the edition, the measure or the set does not exist.
    :raises BadArgument: no query of the set is judged.
    """
    conn.execute("SELECT stc.run_keys(%s)", [[run, against]])
    arguments = [run, against, [] if of_all else [run, against], edition, str(only_measure(measure)), set_of(queries)]
    return [QueryScore(*row) for row in conn.execute(_SCORES, arguments)]


def wins(rows: Sequence[QueryScore]) -> tuple[int, int, int]:
    """Return the numbers of queries won, tied and lost; a query without a difference counts as tied."""
    won, lost = (sum((row.difference or 0) * sign > 0 for row in rows) for sign in (1, -1))
    return won, len(rows) - won - lost, lost


@declare
@translate()
def hard_queries(
    conn: psycopg.Connection,
    *,
    edition: NamedEdition,
    measure: MeasureName = "nDCG@10",
    below: Annotated[float, AllowedRange(ge=0, lt=1e9)] = 0.1,
    runs: Runs = (),
    queries: QuerySet = ALL,
) -> list[HardQuery]:
    """Return the queries of an edition on which the best run scores below a threshold, lowest score first.

    :param below: The best run scores less than this.
    :raises UnknownObject: a run, the edition, the measure or the set does not exist.
    :raises BadArgument: no query of the set is judged.
    """
    arguments = [runs_of(runs), edition, str(only_measure(measure)), set_of(queries), below]
    return [HardQuery(*row) for row in conn.execute(_HARD, arguments)]


@translate()
def retrieved(conn: psycopg.Connection, *, runs: tuple[str, ...], query: str, edition: str, depth: int = 10) -> list[Retrieved]:
    """Return the documents that runs retrieved for a query, by run and rank (sql/analysis/retrieved.sql).

    :raises UnknownObject: a run, the query or the edition does not exist.
    :raises BadArgument: the depth is below 1.
    """
    return records(conn, Retrieved, "SELECT * FROM retrieved(%s::text[], %s, %s, %s)", [list(runs), query, edition, depth])
