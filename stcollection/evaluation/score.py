"""Scores of stored runs. The measures are SQL functions (sql/evaluation/); this names them as the field does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import dict_row

from stcollection.errors import translate
from stcollection.evaluation.measures import OFFICIAL, Measure

_EVALUATE = "SELECT * FROM evaluate(%s::text[], %s, %s::integer[], %s)"
_EVALUATE_RUNS = "SELECT * FROM evaluate_runs(%s::text[], %s, %s::integer[], %s)"
_JUDGED = "SELECT run, query, value AS judged_at FROM judged_at(%s::text[], %s, %s, %s)"
_JUDGED_RUNS = "SELECT run, avg(value) AS judged_at FROM judged_at(%s::text[], %s, %s, %s) GROUP BY run"


class Score(NamedTuple):
    """:param value: in [0, 1]."""

    run: str
    query: str
    measure: Measure
    value: float


class Standing(NamedTuple):
    """:param values: means over the queries, in the order of the measures asked for."""

    run: str
    values: tuple[float, ...]


@translate()
def score(
    conn: psycopg.Connection, *, runs: Sequence[str], edition: str, measures: Iterable[Measure], complete: bool = True
) -> list[Score]:
    """Score stored runs against one edition of the judgments.

    :param runs: names in st1_runs; all runs if empty.
    :param complete: a query the run has nothing for scores 0 (trec_eval -c); else it is left out.
    :returns: one Score per run, query of the edition and measure; by run, then query, then in the order of measures.
    :raises UnknownObject: a run, the edition or a measure is not there.
    :raises BadArgument: a cutoff below 1.
    """
    wanted = [measure.checked() for measure in measures]
    table = _table(conn, (_EVALUATE, _JUDGED), list(runs), edition, wanted, complete)
    return [Score(*key, measure, table[key][measure]) for key in sorted(table) for measure in wanted]


@translate()
def leaderboard(
    conn: psycopg.Connection,
    *,
    edition: str,
    measures: Iterable[Measure] = OFFICIAL,
    runs: Sequence[str] = (),
    complete: bool = True,
) -> list[Standing]:
    """Rank stored runs by their mean scores against one edition of the judgments.

    :param runs: names in st1_runs; all runs if empty.
    :param complete: as for :func:`score`; a run is then averaged over the queries it has something for.
    :returns: one Standing per run: highest value of the first measure first, equal ones by name.
    :raises UnknownObject, BadArgument: as for :func:`score`.
    """
    wanted = [measure.checked() for measure in measures]
    table = _table(conn, (_EVALUATE_RUNS, _JUDGED_RUNS), list(runs), edition, wanted, complete)
    standings = [Standing(run, tuple(values[measure] for measure in wanted)) for (run, _), values in table.items()]
    return sorted(standings, key=lambda one: (-one.values[0] if one.values else 0.0, one.run))


def _table(
    conn: psycopg.Connection, statements: tuple[str, str], runs: list[str], edition: str, wanted: list[Measure], complete: bool
) -> dict[tuple[str, str], dict[Measure, float]]:
    """The values by (run, query), the query "" for means."""
    evaluate, judged = statements
    table: dict[tuple[str, str], dict[Measure, float]] = defaultdict(dict)
    evaluated = [measure for measure in wanted if measure.column != "judged_at"]
    cutoffs = sorted({measure.cutoff for measure in evaluated if measure.cutoff}) or [1]
    with conn.cursor(row_factory=dict_row) as cursor:
        if evaluated:
            for row in cursor.execute(evaluate, [runs, edition, cutoffs, complete]):
                values = table[row["run"], row.get("query", "")]
                values.update({m: row[m.column] for m in evaluated if m.cutoff in (None, row["cutoff"])})
        for measure in set(wanted) - set(evaluated):
            for row in cursor.execute(judged, [runs, edition, measure.cutoff, complete]):
                table[row["run"], row.get("query", "")][measure] = row["judged_at"]
    return table
