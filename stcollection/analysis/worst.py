"""The queries on which a run does worst, with what it misses, and those on which two runs differ most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, columns_of, declare
from stcollection.errors import translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import Edition, OneMeasure, QuerySet, edition_of, only_measure, set_of
from stcollection.topics.sets import ALL

_RANKS = 10  # documents that count as found if the measure has no cutoff


class WorstQuery(NamedTuple):
    """A query, with the score of a run and of the others (sql/analysis/worst_queries.sql).

    :param best, best_run: the highest score of the other runs; None without other runs.
    :param margins: the score of each other run minus ``value``, by its name.
    :param judged: share of the run's first documents that are judged.
    :param missed: docno of the best relevant document that is not among them; None if none is missed.
    :param missed_rank: its rank in the run; None if the run does not rank it.
    :param missed_elsewhere, missed_run: its best rank in another run, and this run; None if no other run ranks it.
    """

    query: str
    text: str | None
    value: float
    best: float | None
    best_run: str | None
    margins: dict[str, float]
    judged: float
    missed: str | None
    missed_title: str | None
    missed_rel: int | None
    missed_rank: int | None
    missed_elsewhere: int | None
    missed_run: str | None


@declare
@note_simulated()
@translate()
def worst_queries(
    conn: psycopg.Connection,
    run: Annotated[str, Option("RUN", listed="show runs")],
    others: Annotated[Sequence[str], Option("OTHERS", each="other")] = (),
    *,
    edition: Edition = None,
    measure: OneMeasure = nDCG @ 10,
    limit: Annotated[int, AllowedRange(ge=1), Option("--worst", "-n", "--limit")] = 10,
    queries: QuerySet = ALL,
) -> RecordTable[WorstQuery]:
    """List the queries on which a run scores lowest, with the margins of other runs and the best relevant document missed.

    A relevant document is missed if it is not among the first k documents of the run. k is the cutoff of the measure, or 10.

    :param run: The run. :param others: Runs to compare with; all if omitted. :param limit: Number of queries.
    :returns: the lowest score first, ties by query.
    :raises UnknownObject: a run, the edition, the measure or the set does not exist.
    :raises BadArgument: there are several measures, or no query of the set is judged.
    """
    chosen = only_measure(measure)
    edition = edition_of(conn, edition)
    arguments = [run, edition, str(chosen), limit, list(others), chosen.cutoff or _RANKS, set_of(queries)]
    rows = records(conn, WorstQuery, "SELECT * FROM stc.worst_queries(%s, %s, %s, %s, %s, %s, %s)", arguments)
    return RecordTable(rows, columns=columns_of(WorstQuery), editions=[edition])


class DifferingQuery(NamedTuple):
    """A query with the scores of two runs.

    :param difference: ``value`` minus ``against``.
    """

    query: str
    text: str | None
    value: float | None
    against: float | None
    difference: float | None


@declare
@note_simulated()
@translate()
def differing_queries(
    conn: psycopg.Connection,
    run: Annotated[str, Option("RUN", listed="show runs")],
    against: Annotated[str, Option("AGAINST")],
    *,
    edition: Edition = None,
    measure: OneMeasure = nDCG @ 10,
    limit: Annotated[int, AllowedRange(ge=1)] = 10,
    queries: QuerySet = ALL,
) -> RecordTable[DifferingQuery]:
    """List the queries on which two stored runs differ most, with their texts.

    :param run: The run. :param against: The run to compare with. :param limit: Number of queries.
    :returns: the largest difference first, ties by query.
    :raises UnknownObject: a run, the edition, the measure or the set does not exist.
    """
    edition = edition_of(conn, edition)
    statement = (
        "SELECT p.query, q.text, p.value, p.value_against AS against, p.difference"
        " FROM paired_scores(%(runs)s::text[], %(edition)s, %(measure)s, %(against)s, query_set => %(queries)s) p"
        " JOIN st1_queries q ON q.query = p.query"
        ' ORDER BY abs(p.difference) DESC NULLS LAST, p.query COLLATE "C" LIMIT %(limit)s'
    )
    values = {"runs": [run], "edition": edition, "measure": str(only_measure(measure)), "against": against}
    rows = records(conn, DifferingQuery, statement, values | {"queries": set_of(queries), "limit": limit})
    return RecordTable(rows, columns=columns_of(DifferingQuery), editions=[edition])
