"""Differences between two editions of the judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option
from stcollection.errors import translate

CHANGES = ("same", "changed", "added", "removed")


class GradeMove(NamedTuple):
    """Number of judgments of a query with a pair of grades; a grade is None if the edition lacks the judgment."""

    query: str
    rel_a: int | None
    rel_b: int | None
    change: str
    judgments: int


class JudgmentChange(NamedTuple):
    """A judgment that differs between the editions; ``change`` is changed, added or removed.

    :param why: note of the final decision in edition b, such as the reason of a correction.
    """

    query: str
    doc: str
    change: str
    rel_a: int | None
    rel_b: int | None
    origin_a: str | None
    origin_b: str | None
    why: str | None


@note_simulated("a", "b")
@translate()
def diff(conn: psycopg.Connection, a: Annotated[str, Option("A")], b: Annotated[str, Option("B")]) -> list[GradeMove]:
    """Count the judgments of two editions by query and pair of grades, ordered by query and grades.

    :raises UnknownObject: an edition is not stored.
    """
    return records(
        conn,
        GradeMove,
        "SELECT query, rel_a, rel_b, change, count(*) AS judgments FROM edition_diff(%s, %s) GROUP BY 1, 2, 3, 4"
        ' ORDER BY query COLLATE "C", rel_a NULLS FIRST, rel_b NULLS FIRST',
        [a, b],
    )


@note_simulated("a", "b")
@translate()
def changes(conn: psycopg.Connection, a: str, b: str) -> list[JudgmentChange]:
    """Return the judgments that differ between two editions, ordered by query and document.

    :raises UnknownObject: an edition is not stored.
    """
    return records(
        conn,
        JudgmentChange,
        "SELECT f.query, f.docno AS doc, f.change, f.rel_a, f.rel_b, f.origin_a, f.origin_b, w.note AS why"
        '  FROM edition_diff(%(a)s, %(b)s) f JOIN st1_queries q ON q.query = f.query COLLATE "C"'
        "  LEFT JOIN LATERAL (SELECT j.note FROM qrels_judgments j"
        "                      WHERE j.edition = stc.edition_key(%(b)s) AND j.query = q.id AND j.doc = f.doc AND j.final"
        "                      ORDER BY j.id DESC LIMIT 1) w ON true"
        ' WHERE f.change <> \'same\' ORDER BY f.query COLLATE "C", f.docno COLLATE "C"',
        {"a": a, "b": b},
    )


def by_grade(cells: Iterable[GradeMove]) -> Counter[tuple[int | None, int | None]]:
    """Count judgments by their grades in both editions."""
    counts: Counter[tuple[int | None, int | None]] = Counter()
    for cell in cells:
        counts[cell.rel_a, cell.rel_b] += cell.judgments
    return counts


def by_query(cells: Iterable[GradeMove]) -> dict[str, Counter[str]]:
    """Count the judgments of each query by change."""
    counts: dict[str, Counter[str]] = {}
    for cell in cells:
        counts.setdefault(cell.query, Counter())[cell.change] += cell.judgments
    return counts
