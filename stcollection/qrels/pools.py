"""Pools of documents to judge, selected from runs, and the contribution of each run (sql/qrels/make_pool.sql and others)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, check_fields, declare
from stcollection.errors import BadArgument, translate
from stcollection.qrels.parameters import JudgedIn, PoolName, RelevantFrom
from stcollection.topics.sets import ALL, OF_SET, Queries, SetExpression, members

GRADES = {"0": "not relevant", "1": "relevant", "2": "very relevant"}
DEPTH, EFFECT_DEPTH = 10, 100


@dataclass(frozen=True, kw_only=True)
class PoolRules:
    """Rules that select documents of runs for a pool.

    With ``strata``, the depth is their last rank. ``as_of`` uses the documents of a snapshot, as if the runs ranked no others; it
    excludes ``effect``.

    :param depth: Number of ranks of each run to pool.
    :param teams: Keep documents ranked within the depth by at least N teams.
    :param strata: Sampling rate per range of best ranks, such as 1-10:1.0,11-50:0.2.
    :param effect: Pool the N documents whose judgments should change the ranking of runs most.
    :param seed: Seed for sampling and for the order shown to assessors.
    :param measure: Measure for --most-useful: AP or nDCG@k.
    :param as_of: Only documents that were in the collection on this day.
    """

    depth: Annotated[int | None, Option(default="10; with --most-useful 100")] = None
    teams: Annotated[int, Option("--min-teams")] = 1
    strata: Annotated[str | None, Option(metavar="STRATA")] = None
    effect: Annotated[int | None, Option("--most-useful")] = None
    seed: int = 1
    measure: str = "AP"
    relevant: RelevantFrom = 1
    as_of: Annotated[str | None, Option(metavar="YYYY-MM-DD")] = None

    def __post_init__(self) -> None:
        check_fields(self)


FIRST_TEN = PoolRules()


@dataclass(frozen=True, kw_only=True)
class MadePool:
    """Counts of a new pool.

    :param without_text: documents with neither title nor abstract, which assessors cannot judge.
    """

    pooled_queries: int
    documents: int
    without_text: int


class PoolOverview(NamedTuple):
    """One row of pool_overview. :param judged: documents with at least one grade. :param grades: grades on all sheets.

    :param simulated: the grades are invented.
    """

    pool: str
    method: str
    queries: int
    documents: int
    judged: int
    annotators: list[str]
    grades: int
    submitted: int
    params: dict[str, Any]
    made: datetime
    simulated: bool = False


class Contribution(NamedTuple):
    """Contribution of a run to a pool; ``found`` counts relevant documents, ``unique_*`` those of no other run or team."""

    run: str
    team: str
    contributed: int
    unique_run: int
    unique_team: int
    judged: int
    found: int
    unique_found_run: int
    unique_found_team: int


class Depth(NamedTuple):
    """Counts of a pool down to a depth. :param estimate: estimated number of relevant documents; None without strata."""

    depth: int
    documents: int
    judged: int
    found: int
    estimate: float | None


class OfQuery(NamedTuple):
    query: str
    query_text: str | None
    documents: int
    judged: int
    found: int


def read_scale(scale: str) -> dict[str, str]:
    """Parse a scale such as ``0-2`` or ``0=not relevant,1=relevant`` into grades with meanings; ``0-2`` has the usual ones.

    :raises BadArgument: the scale has neither form, or fewer than two grades from 0 to 9.
    """
    grades: dict[str, str] = {}
    if span := re.fullmatch("([0-9])-([0-9])", scale.strip()):
        low, high = int(span[1]), int(span[2])
        grades = {str(grade): f"grade {grade}" for grade in range(low, high + 1)}
        if grades.keys() == GRADES.keys():
            grades = dict(GRADES)
    else:
        for part in scale.split(","):
            grade, _, meaning = (piece.strip() for piece in part.partition("="))
            if not re.fullmatch("[0-9]", grade) or grade in grades:
                grades = {}
                break
            grades[grade] = meaning or f"grade {grade}"
    if len(grades) < 2:
        raise BadArgument(f"{scale!r} is not a scale", hint="Give two grades or more, 0 to 9: 0-2, or 0=not relevant,1=relevant.")
    return grades


def scale_of(grades: str | Mapping[str, str]) -> Mapping[str, str]:
    """Return a scale, which may be written as text; see :func:`read_scale`."""
    return read_scale(grades) if isinstance(grades, str) else grades


if TYPE_CHECKING:
    GradeScale = Mapping[str, str]
else:
    GradeScale = Annotated[str, Option(metavar="SCALE", default="0-2", reads=scale_of)]  # interfaces take it as text


@translate()
def make_pool(
    conn: psycopg.Connection,
    name: PoolName,
    *,
    runs: Annotated[Sequence[str], Option("RUN")] = (),
    rules: PoolRules = FIRST_TEN,
    queries: Annotated[Queries, OF_SET] = (),
    without: Annotated[str | None, Option("--exclude", metavar="EDITION")] = None,
    grades: GradeScale = GRADES,
) -> MadePool:
    """Select documents of runs for judging, and store them as a pool.

    :param without: Skip documents judged in EDITION; --most-useful also uses them.
    :param grades: Scale of the grades: 0-2 or 0=not relevant,1=relevant.
    :raises UnknownObject: a run, query or edition is not stored. :raises StateError: no document is left.
    :raises BadArgument: the name is taken, or an argument is out of range.
    """
    if rules.strata is not None and rules.depth is not None:
        raise BadArgument("strata cannot be combined with a depth", hint="The strata define the pool depth; omit --depth.")
    names = [] if queries == ALL else members(conn, queries) if isinstance(queries, str) else list(queries)
    depth = rules.depth
    if depth is None:
        depth = DEPTH if rules.effect is None else EFFECT_DEPTH
    with conn.transaction(), conn.cursor(row_factory=class_row(MadePool)) as cursor:
        [row] = cursor.execute(
            "SELECT * FROM stc.make_pool(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                name,
                list(runs),
                depth,
                rules.teams,
                rules.strata,
                rules.effect,
                rules.seed,
                names,
                without,
                rules.measure,
                rules.relevant,
                Jsonb(dict(grades)),
                rules.as_of,
            ],
        ).fetchall()
    return row


@translate()
def pools(conn: psycopg.Connection) -> list[PoolOverview]:
    """Return the stored pools, ordered by name."""
    return records(conn, PoolOverview, "SELECT * FROM stc_all.pool_overview ORDER BY pool")


@translate()
def drop_pool(conn: psycopg.Connection, name: PoolName, *, drafts: bool = False) -> int:
    """Remove a pool with its sheets; submitted judgments stay. :returns: the number of its documents.

    :param drafts: Drop the pool even if unsubmitted grades are lost.
    """
    with conn.transaction():
        row = conn.execute("SELECT stc.drop_pool(%s, %s)", [name, drafts]).fetchone()
    return int(row[0]) if row else 0


@translate()
def set_scale(conn: psycopg.Connection, name: str, grades: Mapping[str, str]) -> None:
    """Change the scale of a pool. :raises BadArgument: a sheet has a grade that is not in the new scale."""
    with conn.transaction():
        conn.execute("SELECT stc.scale_pool(%s, %s)", [name, Jsonb(dict(grades))])


@translate()
def share_pool(conn: psycopg.Connection, name: str, *, annotators: Sequence[str], overlap: Decimal = Decimal(0)) -> None:
    """Divide a pool among annotators; a share of its documents (overlap, in [0, 1]) is given to two of them."""
    with conn.transaction():
        conn.execute("SELECT stc.share_pool(%s, %s, %s)", [name, list(annotators), overlap])


def sheets_of(
    conn: psycopg.Connection,
    name: str,
    *,
    annotator: str | None = None,
    annotators: Sequence[str] = (),
    overlap: Decimal = Decimal(0),
) -> list[str]:
    """Return the annotators whose sheets are to be exported: the given one, or all that share the pool.

    :param annotators: share the pool among these first (:func:`share_pool`).
    :raises BadArgument: an overlap without annotators, or no annotators share the pool.
    """
    if annotators:
        share_pool(conn, name, annotators=annotators, overlap=overlap)
    elif overlap:
        hint = "Name the annotators: --annotators anna,ben --overlap 0.2."
        raise BadArgument(f"an overlap of {overlap} needs annotators", hint=hint)
    if annotator:
        return [annotator]
    shared: list[str] = next((row.params.get("shares", {}).get("annotators", []) for row in pools(conn) if row.pool == name), [])
    if not shared:
        hint = "Name them: --annotator anna, or --annotators anna,ben --overlap 0.2."
        raise BadArgument("no annotator is named, and the pool is not divided", hint=hint)
    return list(shared)


@declare
@note_simulated("edition")
@translate()
def contributions(
    conn: psycopg.Connection, name: PoolName, *, edition: JudgedIn = None, relevant: RelevantFrom = 1
) -> list[Contribution]:
    """Return the contribution of each run, by team and run."""
    return records(conn, Contribution, "SELECT * FROM stc.pool_contributions(%s, %s, %s)", [name, edition, relevant])


@note_simulated("edition")
@translate()
def pool_queries(
    conn: psycopg.Connection, name: str, *, edition: str | None = None, relevant: int = 1, queries: SetExpression = ALL
) -> list[OfQuery]:
    """Return the queries of a pool, or of a set of queries, ordered by name."""
    return records(conn, OfQuery, "SELECT * FROM stc.pool_queries(%s, %s, %s, %s)", [name, edition, relevant, queries])


@note_simulated("edition")
@translate()
def depths(conn: psycopg.Connection, name: str, *, edition: str | None = None, relevant: int = 1) -> list[Depth]:
    """Return documents and relevant documents by pool depth from 1 on, for a plot of pool depth."""
    return records(conn, Depth, "SELECT * FROM stc.pool_depths(%s, %s, %s)", [name, edition, relevant])


@translate()
def overlap(conn: psycopg.Connection, name: str) -> tuple[list[str], list[list[int]]]:
    """Return the teams of a pool and a matrix of common documents; the diagonal counts the documents of each team."""
    counts = {
        (team, other): common
        for team, other, common in conn.execute("SELECT team, other, common FROM stc.pool_overlap(%s)", [name]).fetchall()
    }
    teams = list(dict.fromkeys(team for team, _ in counts))
    return teams, [[counts[team, other] for other in teams] for team in teams]
