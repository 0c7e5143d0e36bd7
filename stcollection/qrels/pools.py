"""Pools: the documents of runs chosen to be judged, and what each run contributed (sql/qrels/make_pool.sql and its neighbours)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, translate
from stcollection.moved import grouped

GRADES = {"0": "not relevant", "1": "relevant", "2": "very relevant"}
DEPTH, EFFECT_DEPTH = 10, 100


@dataclass(frozen=True, kw_only=True)
class PoolRules:
    """Which documents of runs are chosen.

    :param depth: ranks of each run; None is 10, for effect 100, for strata their last rank.
    :param teams: runs of so many teams must have a document within the depth. :param strata: as ``1-10:1.0,11-50:0.2``.
    :param effect: so many documents over all queries, those that are expected to tell the runs apart best.
    :param seed: of what is drawn, and of the order it is shown in. :param measure, relevant: of the effect.
    """

    depth: int | None = None
    teams: int = 1
    strata: str | None = None
    effect: int | None = None
    seed: int = 1
    measure: str = "AP"
    relevant: int = 1


FIRST_TEN = PoolRules()


@dataclass(frozen=True, kw_only=True)
class MadePool:
    """A pool that was made.

    :param without_text: documents with neither title nor abstract, which nobody can assess here.
    """

    pooled_queries: int
    documents: int
    without_text: int


class PoolOverview(NamedTuple):
    """One row of pool_overview. :param judged: documents with a grade by anyone. :param grades: on the sheets."""

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


class Contribution(NamedTuple):
    """What one run contributed to a pool; ``found`` counts relevant documents, ``unique_*`` what no other run or team has."""

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
    """What a pool has found down to a depth. :param estimate: relevant documents had all been judged; None but for strata."""

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


class Next(NamedTuple):
    """A document to judge next. :param effect: see sql/qrels/next_to_judge.sql. :param chance: its expected gain, in [0, 1]."""

    query: str
    doc: int
    docno: str
    effect: float
    chance: float
    place: int


def read_scale(scale: str) -> dict[str, str]:
    """``0-2`` or ``0=not relevant,1=relevant,2=very relevant`` as grades with their meanings; ``0-2`` has the usual ones.

    :raises BadArgument: it is of neither form, or has fewer than two grades from 0 to 9.
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
        raise BadArgument(f"{scale!r} is no scale", hint="Two grades at least, from 0 to 9: 0-2, or 0=not relevant,1=relevant.")
    return grades


@grouped(rules=PoolRules)
@translate()
def make_pool(
    conn: psycopg.Connection,
    name: str,
    *,
    runs: Sequence[str] = (),
    rules: PoolRules = FIRST_TEN,
    queries: Sequence[str] = (),
    without: str | None = None,
    grades: Mapping[str, str] = GRADES,
) -> MadePool:
    """Choose documents of runs to be judged, and store them as a pool.

    :param runs: all stored ones if empty. :param queries: all if empty.
    :param without: an edition; what it has judged is left out. :param grades: the scale: what each grade means.
    :raises UnknownObject: a run, query or edition is not stored. :raises StateError: no document is left.
    :raises BadArgument: the name is taken, or an argument is out of range.
    """
    if rules.strata is not None and rules.depth is not None:
        raise BadArgument("strata and a depth", hint="The strata say how deep the pool is; leave --depth out.")
    depth = rules.depth
    if depth is None:
        depth = DEPTH if rules.effect is None else EFFECT_DEPTH
    with conn.transaction(), conn.cursor(row_factory=class_row(MadePool)) as cursor:
        [row] = cursor.execute(
            "SELECT * FROM stc.make_pool(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                name,
                list(runs),
                depth,
                rules.teams,
                rules.strata,
                rules.effect,
                rules.seed,
                list(queries),
                without,
                rules.measure,
                rules.relevant,
                Jsonb(dict(grades)),
            ],
        ).fetchall()
    return row


@translate()
def pools(conn: psycopg.Connection) -> list[PoolOverview]:
    """The stored pools, by name."""
    with conn.cursor(row_factory=class_row(PoolOverview)) as cursor:
        return cursor.execute("SELECT * FROM stc.pool_overview ORDER BY pool").fetchall()


@translate()
def drop_pool(conn: psycopg.Connection, name: str, *, drafts: bool = False) -> int:
    """Remove a pool with its sheets; judgments that were submitted stay. Returns how many documents it had.

    :param drafts: even if that loses grades that were never submitted.
    """
    with conn.transaction():
        row = conn.execute("SELECT stc.drop_pool(%s, %s)", [name, drafts]).fetchone()
    return int(row[0]) if row else 0


@translate()
def set_scale(conn: psycopg.Connection, name: str, grades: Mapping[str, str]) -> None:
    """Give a pool another scale. :raises BadArgument: a sheet has a grade that is not in it."""
    with conn.transaction():
        conn.execute("SELECT stc.scale_pool(%s, %s)", [name, Jsonb(dict(grades))])


@translate()
def share_pool(conn: psycopg.Connection, name: str, *, annotators: Sequence[str], overlap: Decimal = Decimal(0)) -> None:
    """Divide a pool among annotators, a share of its documents (overlap, in [0, 1]) going to two of them."""
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
    """Whose sheets of a pool there are to export: an annotator's, or those of all whom it is shared among.

    :param annotators: share the pool among these first (:func:`share_pool`).
    :raises BadArgument: an overlap without annotators, or the pool is shared among nobody.
    """
    if annotators:
        share_pool(conn, name, annotators=annotators, overlap=overlap)
    elif overlap:
        hint = "Name who shares the pool: --annotators anna,ben --overlap 0.2."
        raise BadArgument("an overlap of nobody's sheets", hint=hint)
    if annotator:
        return [annotator]
    shared: list[str] = next((one.params.get("shares", {}).get("annotators", []) for one in pools(conn) if one.pool == name), [])
    if not shared:
        raise BadArgument("a sheet of nobody", hint="Say whose: --annotator anna, or --annotators anna,ben --overlap 0.2.")
    return list(shared)


@translate()
def contributions(conn: psycopg.Connection, name: str, *, edition: str | None = None, relevant: int = 1) -> list[Contribution]:
    """What each run contributed, by team and run. :param edition: whose judgments; None takes the pool's own sheets."""
    with conn.cursor(row_factory=class_row(Contribution)) as cursor:
        return cursor.execute("SELECT * FROM stc.pool_contributions(%s, %s, %s)", [name, edition, relevant]).fetchall()


@translate()
def pool_queries(conn: psycopg.Connection, name: str, *, edition: str | None = None, relevant: int = 1) -> list[OfQuery]:
    """The queries of a pool, by name."""
    with conn.cursor(row_factory=class_row(OfQuery)) as cursor:
        return cursor.execute("SELECT * FROM stc.pool_queries(%s, %s, %s)", [name, edition, relevant]).fetchall()


@translate()
def depths(conn: psycopg.Connection, name: str, *, edition: str | None = None, relevant: int = 1) -> list[Depth]:
    """Documents and relevant documents found by each depth from 1 on; what a plot of pool depth shows."""
    with conn.cursor(row_factory=class_row(Depth)) as cursor:
        return cursor.execute("SELECT * FROM stc.pool_depths(%s, %s, %s)", [name, edition, relevant]).fetchall()


@translate()
def overlap(conn: psycopg.Connection, name: str) -> tuple[list[str], list[list[int]]]:
    """The teams of a pool, and how many of its documents each two have in common; the diagonal is how many a team has."""
    counts = {
        (team, other): common
        for team, other, common in conn.execute("SELECT team, other, common FROM stc.pool_overlap(%s)", [name]).fetchall()
    }
    teams = list(dict.fromkeys(team for team, _ in counts))
    return teams, [[counts[team, other] for other in teams] for team in teams]


@translate()
def next_to_judge(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str] = (),
    edition: str | None = None,
    n: int = 10,
    depth: int = EFFECT_DEPTH,
    measure: str = "AP",
    relevant: int = 1,
    queries: Sequence[str] = (),
) -> list[Next]:
    """The documents whose judgment is expected to tell the runs apart best, best first (sql/qrels/next_to_judge.sql).

    :param edition: the judgments there are; None is none. :param measure: ``AP`` or ``nDCG@k``.
    """
    with conn.cursor(row_factory=class_row(Next)) as cursor:
        return cursor.execute(
            "SELECT * FROM next_to_judge(%s, %s, %s, %s, %s, %s, %s)",
            [list(runs), edition, n, depth, measure, relevant, list(queries)],
        ).fetchall()
