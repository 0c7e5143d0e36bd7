"""Scores of stored runs. The measures are SQL functions (sql/evaluation/), used here by their usual names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, Protocol, TypeVar

from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, check_fields, declare
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import LEADERBOARD, OFFICIAL, Measure
from stcollection.evaluation.parameters import (
    AsOf,
    Complete,
    Edition,
    Grade,
    Measures,
    QuerySet,
    Runs,
    edition_of,
    measures_of,
    runs_of,
    set_of,
)
from stcollection.topics.sets import ALL

if TYPE_CHECKING:
    import psycopg

_SCORES = "SELECT run, query, measure, value FROM scores(%s::text[], %s, %s::text[], %s, %s, %s, %s, %s, %s)"
_MEANS = "SELECT run, measure, value FROM mean_scores(%s::text[], %s, %s::text[], %s, %s, %s, %s, %s, %s)"
_SCORES_AS_OF = "SELECT run, query, measure, value FROM stc.scores_as_of(%s::text[], %s, %s::text[], %s, %s, %s, %s, %s, %s)"
_MEANS_AS_OF = "SELECT run, measure, value FROM stc.mean_scores_as_of(%s::text[], %s, %s::text[], %s, %s, %s, %s, %s, %s)"
# A role that may only read cannot store, and does not need to.
_MAY_STORE = (
    "SELECT CASE WHEN stc.sees_all_rows() THEN has_table_privilege('stc_all.judged_runs', 'INSERT, DELETE')"
    " AND has_table_privilege('stc_all.judged_rankings', 'INSERT') AND has_table_privilege('stc_all.judged_scores', 'INSERT')"
    " AND has_table_privilege('stc_all.judged_queries', 'INSERT, UPDATE, DELETE')"
    " AND NOT current_setting('transaction_read_only')::boolean ELSE false END"
)


class NamedRun(Protocol):
    """A record of a stored run: its name, or None if nothing was stored."""

    @property
    def run(self) -> str | None: ...


Stored = TypeVar("Stored", bound=NamedRun)


class Score(NamedTuple):
    """One run's value on one query.

    :param value: for gm_map and gm_bpref, the logarithm.
    """

    run: str
    query: str
    measure: Measure
    value: float


class RunStanding(NamedTuple):
    """One run's means.

    :param values: over the queries (sum for num_*, geometric mean for gm_*, else mean), in the order of the requested measures.
    """

    run: str
    values: tuple[float, ...]


Version = Literal["trec_eval 9", "trec_eval 10"]


@dataclass(frozen=True)
class ScoreRules:
    """How documents count, by trec_eval's options.

    :param min_grade: Lowest grade that counts as relevant. Gains do not change.
    :param judged_only: Remove unjudged documents from the rankings before scoring.
    :param max_rank: Number of documents per query that count.
    :param version: Compatibility: scores in single precision, with the stored ranks; or scores in double precision.
    :raises BadArgument: a value is outside its range.
    """

    min_grade: Annotated[int, Grade, Option("-l")] = 1
    judged_only: Annotated[bool, Option("-J")] = False
    max_rank: Annotated[int | None, AllowedRange(ge=1), Option("-M", default="all")] = None
    version: Annotated[Version, Option(each="rules")] = "trec_eval 9"

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def arguments(self) -> tuple[int, bool, int | None, str]:
        return self.min_grade, self.judged_only, self.max_rank, self.version


USUAL = ScoreRules()


@translate()
def judge(conn: psycopg.Connection, *, edition: str, runs: Sequence[str] = ()) -> int:
    """Store the ranks of judged documents in runs, for later scores to read. Do nothing if the role or transaction is read-only.

    :param runs: names; all if empty.
    :returns: number of runs for which ranks were missing.
    :raises UnknownObject: a run or the edition does not exist.
    """
    [may] = conn.execute(_MAY_STORE).fetchone() or [False]
    if not may:
        return 0
    [missing] = conn.execute("SELECT judge_runs(%s, %s)", [list(runs), edition]).fetchone() or [0]
    return int(missing)


@translate()
def judge_each(conn: psycopg.Connection, stored: Iterable[Stored]) -> Iterator[Stored]:
    """Yield the records of stored runs, and at the end call :func:`judge_new` for these runs.

    :param stored: an iterator that stores runs.
    """
    names: list[str] = []
    for record in stored:
        names += [record.run] if record.run else []
        yield record
    judge_new(conn, names)


def judge_new(conn: psycopg.Connection, runs: Sequence[str]) -> None:
    """Call :func:`judge` for new runs and every edition, so that the first scoring does not wait."""
    for (edition,) in conn.execute("SELECT edition FROM qrels_editions ORDER BY id").fetchall() if runs else ():
        judge(conn, edition=edition, runs=runs)


@translate()
def unscored_runs(conn: psycopg.Connection) -> dict[str, list[str]]:
    """Return the runs whose ranks of judged documents are not stored or outdated, by edition. Empty if the role may not store them.

    The next score stores them (:func:`judge`).
    """
    return dict(conn.execute("SELECT edition, array_agg(run) FROM stc.unscored_runs() GROUP BY edition").fetchall())


def _refresh(conn: psycopg.Connection, edition: str, runs: Sequence[str]) -> None:
    """Call :func:`judge` in a separate transaction, because within the caller's other sessions would wait for it to end."""
    from psycopg.pq import TransactionStatus

    if conn.info.transaction_status == TransactionStatus.IDLE:
        with conn.transaction():
            judge(conn, edition=edition, runs=runs)


def _arguments(
    runs: Sequence[str], edition: str, measures: list[str], complete: bool, rules: ScoreRules, queries: str, as_of: str | None
) -> list[object]:
    """Return the arguments of the SQL functions that score, or with a day, of those that score as of a day.

    :raises BadArgument: the rules need ranks other than the stored ones, and scores as of a day have no others.
    """
    if as_of is None:
        return [list(runs), edition, measures, complete, *rules.arguments, queries]
    if rules.version != USUAL.version:
        raise BadArgument(
            f"scores as of a day use the ranks of {USUAL.version}, not {rules.version}", hint="Omit `version` or `as_of`."
        )
    return [list(runs), edition, measures, as_of, complete, rules.min_grade, rules.judged_only, rules.max_rank, queries]


@note_simulated("edition")
@translate()
def score(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str],
    edition: str,
    measures: Iterable[Measure],
    complete: bool = True,
    rules: ScoreRules = USUAL,
    queries: str = ALL,
    as_of: str | None = None,
) -> list[Score]:
    """Score stored runs against one edition of the judgments.

    The stored ranks of judged documents are first brought up to date (:func:`judge`), unless the caller is in a transaction.

    :param runs: names in st1_runs; all runs if empty.
    :param complete: score a query for which the run has nothing as an empty ranking (trec_eval -c); otherwise leave it out.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :param as_of: a day (YYYY-MM-DD): score as if the collection had been its snapshot of that day. Other documents are removed from
        rankings and judgments, and queries without judgments left are not scored (sql/evaluation/scores_as_of.sql).
    :returns: one Score per run, query of the edition and measure; sorted by run, query, and the order of measures.
    :raises UnknownObject: a run, the edition, a measure or the set does not exist.
    :raises BadArgument: the cutoff is below 1, another parameter is out of range, or no query of the set is judged.
    """
    measures = [measure.checked() for measure in measures]
    if not measures:
        return []
    table: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    names = list(dict.fromkeys(map(str, measures)))
    if as_of is None:
        _refresh(conn, edition, runs)
    arguments = _arguments(runs, edition, names, complete, rules, queries, as_of)
    for run, query, measure, value in conn.execute(_SCORES if as_of is None else _SCORES_AS_OF, arguments):
        table[run, query][measure] = value
    return [Score(*key, m, table[key][str(m)]) for key in sorted(table) for m in measures if str(m) in table[key]]


def _standings(
    conn: psycopg.Connection,
    edition: str,
    measures: Sequence[Measure],
    runs: Sequence[str],
    *,
    complete: bool,
    rules: ScoreRules,
    queries: str,
    as_of: str | None,
) -> RecordTable[RunStanding]:
    table: dict[str, dict[str, float]] = defaultdict(dict)
    names = list(dict.fromkeys(map(str, measures)))
    if as_of is None:
        _refresh(conn, edition, runs)
    arguments = _arguments(runs, edition, names, complete, rules, queries, as_of)
    for run, measure, value in conn.execute(_MEANS if as_of is None else _MEANS_AS_OF, arguments) if names else ():
        table[run][measure] = value
    standings = [RunStanding(run, tuple(values.get(str(m), float("nan")) for m in measures)) for run, values in table.items()]
    return RecordTable(
        sorted(standings, key=lambda row: (row.values[0] != row.values[0], -row.values[0], row.run)),
        columns={"run": str, **dict.fromkeys(names, float)},
        cells=lambda row: (row.run, *dict(zip(map(str, measures), row.values, strict=True)).values()),
        editions=[edition],
    )


@declare
@note_simulated()
@translate()
def leaderboard(
    conn: psycopg.Connection,
    edition: Edition = None,
    *,
    measures: Measures = LEADERBOARD,
    runs: Runs = (),
    queries: QuerySet = ALL,
    complete: Complete = True,
    rules: ScoreRules = USUAL,
    as_of: AsOf = None,
) -> RecordTable[RunStanding]:
    """Rank all runs by the first measure.

    :returns: one RunStanding per run, highest value of the first measure first, ties by name. A run with only imported scores has
        NaN for measures that were not imported.
    :raises UnknownObject, BadArgument: as for :func:`score`.
    """
    return _standings(
        conn,
        edition_of(conn, edition),
        measures_of(measures),
        runs_of(runs),
        complete=complete,
        rules=rules,
        queries=set_of(queries),
        as_of=as_of,
    )


@declare
@note_simulated()
@translate()
def score_runs(
    conn: psycopg.Connection,
    runs: Runs = (),
    *,
    edition: Edition = None,
    measures: Measures = OFFICIAL,
    per_query: Annotated[bool, Option("-q")] = False,
    queries: QuerySet = ALL,
    complete: Complete = True,
    rules: ScoreRules = USUAL,
    as_of: AsOf = None,
) -> RecordTable[RunStanding] | RecordTable[Score]:
    """Score runs against one edition of the judgments.

    :param per_query: Print one row per query, not only the mean.
    :returns: one RunStanding per run, best first, as :func:`leaderboard`; or one Score per run, query and measure.
    :raises UnknownObject, BadArgument: as for :func:`score`.
    """
    edition, parsed = edition_of(conn, edition), measures_of(measures)
    names, members = runs_of(runs), set_of(queries)
    if not per_query:
        return _standings(conn, edition, parsed, names, complete=complete, rules=rules, queries=members, as_of=as_of)
    return RecordTable(
        score(conn, runs=names, edition=edition, measures=parsed, complete=complete, rules=rules, queries=members, as_of=as_of),
        columns={"run": str, "query": str, "measure": str, "value": float},
        cells=lambda row: (row.run, row.query, str(row.measure), row.value),
        editions=[edition],
    )
