"""Compare labels of language models, and sparse labels, with those of people: on the same documents, and by system rankings.

Each function reads a SQL function with the matching name (sql/analysis/label_*.sql).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import psycopg

from stcollection.counts import counted
from stcollection.db.rows import only_record, records
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.judging import FAVOURED, JudgingRun, judging_runs
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.evaluation.parameters import Grade, OneMeasure, QuerySet, only_measure, set_of
from stcollection.topics.sets import ALL


class EditionShape(NamedTuple):
    """How much an edition judges.

    :param a_query, median: mean and median number of judgments per query; None without judgments.
    :param sparse: True if no judgment is below the level and the median query has one judgment.
    """

    queries: int
    judgments: int
    relevant: int
    a_query: float | None
    median: float | None
    sparse: bool


class Agreed(NamedTuple):
    """Agreement of another edition with the human one on the documents that both judge. None where a value is not defined.

    :param origin: origin of the queries; ``all`` for every query.
    :param only_human, only_other: number of documents that only one of the editions judges.
    :param binary_accuracy, binary_kappa: for relevant versus not relevant.
    :param bias: mean grade, other minus human.
    """

    origin: str
    queries: int
    pairs: int
    only_human: int
    only_other: int
    grades: int
    accuracy: float | None
    binary_accuracy: float | None
    kappa: float | None
    kappa_quadratic: float | None
    binary_kappa: float | None
    alpha_nominal: float | None
    alpha_ordinal: float | None
    alpha_interval: float | None
    bias: float | None


class GradePairCount(NamedTuple):
    """The number of documents with one pair of grades."""

    origin: str
    human_rel: int
    other_rel: int
    pairs: int


class LabelSource(NamedTuple):
    """The number of documents of a sparse edition with one human grade.

    :param human_rel: None: people were not shown them.
    :param share: share of the origin's documents, in [0, 1].
    """

    origin: str
    human_rel: int | None
    documents: int
    share: float


class System(NamedTuple):
    """A run scored by both editions, on the queries of an origin that both judge; None where it has no score by an edition.

    :param shift: value_other - value_human.
    :param rank_human, rank_other: 1 + number of runs that score higher, among runs with scores by both editions.
    :param expected: ``value_other`` if the labels treat the run as the others, by regression; ``low`` and ``high`` are its
        interval, and ``p`` is corrected for the number of runs (sql/analysis/label_residuals.sql).
    """

    origin: str
    run: str
    family: str | None
    queries: int
    value_human: float | None
    value_other: float | None
    shift: float | None
    rank_human: int | None
    rank_other: int | None
    expected: float | None
    low: float | None
    high: float | None
    p: float | None


class Alike(NamedTuple):
    """Agreement of the two rankings; without coefficients for fewer than two systems.

    :param systems: number of systems with scores by both editions.
    :param unpaired: number of systems without scores by one of them.
    :param kendall_tau: tau-b; ``top_tau`` is that of the best runs by the human edition.
    :param spearman, pearson: correlations of ranks and of means.
    :param tau_ap, tau_gap: with the human ranking as the truth; ``tau_ap_b`` is the mean of tau_ap in both directions.
    :param rbo: rank-biased overlap, p = .9.
    """

    origin: str
    systems: int
    unpaired: int
    kendall_tau: float | None
    spearman: float | None
    pearson: float | None
    tau_ap: float | None
    tau_ap_b: float | None
    tau_gap: float | None
    top_tau: float | None
    rbo: float | None


@dataclass(frozen=True, kw_only=True)
class LabelComparison:
    """The comparison of one edition with the human one.

    :param agreement, confusion: for the documents that both judge.
    :param sources: human grades of the documents of a sparse edition; empty for other editions.
    :param judging: runs that the labels may favour, from their provenance and from ``systems``.
    :param notes: limits of these data, with reasons.
    """

    human: str
    other: str
    measure: str
    level: int
    shape: EditionShape
    agreement: list[Agreed]
    confusion: list[GradePairCount]
    sources: list[LabelSource]
    systems: list[System]
    rankings: list[Alike]
    judging: list[JudgingRun]
    notes: list[str]

    def moved(self, origin: str = "all", most: int = 5) -> list[System]:
        """Return the systems whose rank changes, by ranks moved, then by shift."""

        def ranks(system: System) -> int:
            return 0 if system.rank_human is None or system.rank_other is None else system.rank_human - system.rank_other

        moving = [system for system in self.systems if system.origin == origin and ranks(system) != 0]
        return sorted(moving, key=lambda system: (-abs(ranks(system)), -abs(system.shift or 0.0), system.run.encode()))[:most]

    def relevant_sources(self, origin: str = "all") -> float | None:
        """Return the share of a sparse edition's documents that people judged relevant, in [0, 1]; None if it has none."""
        rows = [source for source in self.sources if source.origin == origin]
        held = sum(source.documents for source in rows if source.human_rel is not None and source.human_rel >= self.level)
        return held / sum(source.documents for source in rows) if rows else None


@translate()
def shape(conn: psycopg.Connection, edition: str, *, level: int = 1, queries: str = ALL) -> EditionShape:
    """Return how much an edition judges, and whether it is sparse.

    :raises UnknownObject: the edition does not exist.
    """
    return only_record(conn, EditionShape, "SELECT * FROM stc.label_shape(%s, %s, %s)", [edition, level, queries])


@declare
@note_simulated("human", "others")
@translate()
def labels(
    conn: psycopg.Connection,
    *,
    human: Annotated[str, Option("HUMAN")],
    others: Annotated[Sequence[str], Option("OTHERS")],
    measure: OneMeasure = nDCG @ 10,
    by: Literal["all", "origin"] = "all",
    queries: QuerySet = ALL,
    runs: Annotated[Sequence[str], Option("-r", "--runs", default="all runs")] = (),
    level: Annotated[int, Grade, Option(each="min_grade")] = 1,
    top: Annotated[int, AllowedRange(ge=2)] = 10,
) -> list[LabelComparison]:
    """Compare editions with the human one: their grades of the same documents, and the rankings of systems they give.

    :param others: Editions, of a language model or sparse.
    :param measure: Measure that ranks the systems: nDCG@10, AP, P@20, …
    :param by: With 'origin', also print one row per origin of queries.
    :param runs: Use this run. Repeatable.
    :param level: Lowest grade that counts as relevant.
    :param top: Number of the best runs by HUMAN for top_tau.
    :returns: one result for each of the others, in their order.
    :raises UnknownObject: an edition, a run, the measure or the set does not exist.
    :raises BadArgument: no other edition is given, an edition is compared with itself, or ``by`` has another value.
    """
    each = list(dict.fromkeys(others))
    if not each or human in each:
        raise BadArgument(
            f"cannot compare {human} with itself" if each else f"no edition to compare with {human}",
            hint="Name other editions after the human one; 'stc show editions' lists them.",
        )
    ranked_by, of_queries = only_measure(measure), set_of(queries)
    return [
        _against(conn, human, other, measure=ranked_by, level=level, by=by, runs=runs, queries=of_queries, top=top)
        for other in each
    ]


def _against(
    conn: psycopg.Connection,
    human: str,
    other: str,
    *,
    measure: Measure,
    level: int,
    by: str,
    runs: Sequence[str],
    queries: str,
    top: int,
) -> LabelComparison:
    def included(origin: str) -> bool:
        return by == "origin" or origin == "all"

    formed = shape(conn, other, level=level, queries=queries)
    agreed = records(conn, Agreed, "SELECT * FROM label_agreement(%s, %s, %s, %s)", [human, other, level, queries])
    cells = records(conn, GradePairCount, "SELECT * FROM stc.label_confusion(%s, %s, %s)", [human, other, queries])
    sources = (
        records(conn, LabelSource, "SELECT * FROM stc.label_sources(%s, %s, %s, %s)", [human, other, level, queries])
        if formed.sparse
        else []
    )
    table = conn.execute(
        "SELECT * FROM stc.label_systems(%s, %s, %s, %s::text[], %s, %s)",
        [human, other, str(measure), list(runs), queries, top],
    ).fetchall()
    width = len(System._fields)
    systems = [System(*row[:width]) for row in table]
    values = {row[0]: row[width:] for row in table}  # the same in all rows of an origin
    rankings = []
    for origin, coefficients in values.items():
        rows = [system for system in systems if system.origin == origin]
        paired = sum(system.shift is not None for system in rows)
        rankings.append(Alike(origin, paired, len(rows) - paired, *coefficients))
    judging = _judging(conn, human, other, systems, runs=runs)
    return LabelComparison(
        human=human,
        other=other,
        measure=str(measure),
        level=level,
        shape=formed,
        agreement=[row for row in agreed if included(row.origin)],
        confusion=[row for row in cells if included(row.origin)],
        sources=[row for row in sources if included(row.origin)],
        systems=[row for row in systems if included(row.origin)],
        rankings=[row for row in rankings if included(row.origin)],
        judging=judging,
        notes=_notes(human, other, measure, formed, agreed, cells, systems, runs),
    )


def _judging(
    conn: psycopg.Connection, human: str, other: str, systems: Sequence[System], *, runs: Sequence[str]
) -> list[JudgingRun]:
    """Return the runs that the labels may favour, by provenance, and by their scores under these two editions."""
    named = judging_runs(conn, other, runs=runs, measure=None)
    high = [
        JudgingRun(row.run, "scores", other, human, row.value_other, row.expected, row.p)
        for row in systems
        if row.origin == "all" and row.p is not None and row.p < FAVOURED and (row.value_other or 0.0) > (row.expected or 0.0)
    ]
    return [*named, *high]


def _notes(
    human: str,
    other: str,
    measure: Measure,
    formed: EditionShape,
    agreed: Sequence[Agreed],
    cells: Sequence[GradePairCount],
    systems: Sequence[System],
    runs: Sequence[str],
) -> list[str]:
    """Return notes on missing data and on values that should not be interpreted."""
    notes = []
    both = next((row for row in agreed if row.origin == "all"), None)
    if both is None or not both.pairs:
        notes.append(f"no document is judged by both {human} and {other}: agreement is not defined")
    elif not formed.sparse and len({cell.other_rel for cell in cells}) == 1:
        notes.append(f"{other} gives grade {cells[0].other_rel} to every document that both judge: it tells none from another")
    if formed.sparse:
        notes.append(
            f"{other} is sparse: no judgment below the level, {formed.a_query:.3g} per query; agreement on grades means little,"
            " look at the human grades of its documents instead"
        )
    rows = [system for system in systems if system.origin == "all"]
    for edition, count in (
        (human, sum(row.value_human is None for row in rows)),
        (other, sum(row.value_other is None for row in rows)),
    ):
        if count:
            notes.append(
                f"{count} of {counted(len(rows), 'system')} have no value of {measure} under {edition} (from rankings"
                " or imported scores);"
                " they have no rank and do not count in tau"
            )
    if not rows:
        notes.append(f"no system has a value of {measure} on a query that both judge: rankings cannot be compared")
    if without := [run for run in dict.fromkeys(runs) if rows and run not in {row.run for row in rows}]:
        notes.append(f"no scores under either edition: {', '.join(without)}")
    return notes
