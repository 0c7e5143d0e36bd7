"""Scores of stored runs. The measures are SQL functions (sql/evaluation/); this names them as the field does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import psycopg

from stcollection.errors import translate
from stcollection.evaluation.measures import OFFICIAL, Measure

_SCORES = "SELECT run, query, measure, value FROM scores(%s::text[], %s, %s::text[], %s, %s, %s, %s, %s)"
_MEANS = "SELECT run, measure, value FROM mean_scores(%s::text[], %s, %s::text[], %s, %s, %s, %s, %s)"
# A reader cannot store, and need not.
_MAY_STORE = (
    "SELECT has_table_privilege('stc.judged_runs', 'INSERT, DELETE') AND has_table_privilege('stc.judged_rankings', 'INSERT')"
    " AND has_table_privilege('stc.judged_scores', 'INSERT')"
    " AND has_table_privilege('stc.judged_queries', 'INSERT, UPDATE, DELETE')"
    " AND NOT current_setting('transaction_read_only')::boolean"
)


class Score(NamedTuple):
    """One run's value on one query.

    :param value: of gm_map and gm_bpref the logarithm.
    """

    run: str
    query: str
    measure: Measure
    value: float


class RunStanding(NamedTuple):
    """One run's means.

    :param values: over the queries (mean; of num_* sum, of gm_* geometric mean), in the order of the measures asked for.
    """

    run: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class ScoreRules:
    """How documents count, by trec_eval's options.

    :param relevance_level: -l, the least grade that is relevant; ``rel=`` of a measure goes before it.
    :param judged_only: -J, documents nobody judged are taken out of the rankings.
    :param max_rank: -M, documents a query that count; None for all.
    :param version: ``trec_eval 9`` (scores in single precision, the stored ranks) or ``trec_eval 10`` (in double precision).
    """

    relevance_level: int = 1
    judged_only: bool = False
    max_rank: int | None = None
    version: str = "trec_eval 9"

    @property
    def arguments(self) -> tuple[int, bool, int | None, str]:
        return self.relevance_level, self.judged_only, self.max_rank, self.version


USUAL = ScoreRules()


@translate()
def judge(conn: psycopg.Connection, *, edition: str, runs: Sequence[str] = ()) -> int:
    """Store where runs rank judged documents, so that later scores read it; nothing where the role or the transaction only reads.

    :param runs: all if empty. :returns: for how many runs that had to be done.
    :raises UnknownObject: a run or the edition is not there.
    """
    [may] = conn.execute(_MAY_STORE).fetchone() or [False]
    if not may:
        return 0
    [done] = conn.execute("SELECT judge_runs(%s, %s)", [list(runs), edition]).fetchone() or [0]
    return int(done)


@translate()
def judge_new(conn: psycopg.Connection, runs: Sequence[str]) -> None:
    """Store the scores of new runs by every edition.

    :func:`judge` runs that have come in, by every edition, so that whoever scores them first need not wait.
    """
    for (edition,) in conn.execute("SELECT edition FROM qrels_editions ORDER BY id").fetchall() if runs else ():
        judge(conn, edition=edition, runs=runs)


def _refresh(conn: psycopg.Connection, edition: str, runs: Sequence[str]) -> None:
    """Call :func:`judge` in a transaction of its own: within the caller's, others who score would wait for its end."""
    if conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
        with conn.transaction():
            judge(conn, edition=edition, runs=runs)


@translate()
def score(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str],
    edition: str,
    measures: Iterable[Measure],
    complete: bool = True,
    rules: ScoreRules = USUAL,
) -> list[Score]:
    """Score stored runs against one edition of the judgments.

    What is stored of judged documents is brought up to date first (:func:`judge`), unless the caller is in a transaction.

    :param runs: names in st1_runs; all runs if empty.
    :param complete: a query the run has nothing for scores as an empty ranking (trec_eval -c); else it is left out.
    :returns: one Score per run, query of the edition and measure; by run, then query, then in the order of measures.
    :raises UnknownObject: a run, the edition or a measure is not there.
    :raises BadArgument: a cutoff below 1, or another parameter out of range.
    """
    wanted = [measure.checked() for measure in measures]
    if not wanted:
        return []
    _refresh(conn, edition, runs)
    table: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    names = list(dict.fromkeys(map(str, wanted)))
    for run, query, measure, value in conn.execute(_SCORES, [list(runs), edition, names, complete, *rules.arguments]):
        table[run, query][measure] = value
    return [Score(*key, m, table[key][str(m)]) for key in sorted(table) for m in wanted if str(m) in table[key]]


@translate()
def leaderboard(
    conn: psycopg.Connection,
    *,
    edition: str,
    measures: Iterable[Measure] = OFFICIAL,
    runs: Sequence[str] = (),
    complete: bool = True,
    rules: ScoreRules = USUAL,
) -> list[RunStanding]:
    """Rank stored runs by their scores over the queries of one edition of the judgments.

    :param runs: names in st1_runs; all runs if empty.
    :param complete: as for :func:`score`; a run is then averaged over the queries it has something for.
    :returns: one Standing per run: highest value of the first measure first, equal ones by name. A run that is known by imported
        scores alone has NaN for a measure it has none of.
    :raises UnknownObject, BadArgument: as for :func:`score`.
    """
    wanted = [measure.checked() for measure in measures]
    if not wanted:
        return []
    _refresh(conn, edition, runs)
    table: dict[str, dict[str, float]] = defaultdict(dict)
    names = list(dict.fromkeys(map(str, wanted)))
    for run, measure, value in conn.execute(_MEANS, [list(runs), edition, names, complete, *rules.arguments]):
        table[run][measure] = value
    standings = [RunStanding(run, tuple(values.get(str(m), float("nan")) for m in wanted)) for run, values in table.items()]
    return sorted(standings, key=lambda one: (one.values[0] != one.values[0], -one.values[0], one.run))
