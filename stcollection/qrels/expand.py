"""Judgments expanded by neighbouring titles, into an edition of their own."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate


@dataclass(frozen=True, kw_only=True)
class Expanded:
    """What an expansion did.

    :param expansion: the new edition. :param copied: judgments of the old one. :param added: judgments by neighbours.
    :param sources: documents judged relevant that have a title vector. :param without_vector: those that have none.
    """

    expansion: str
    copied: int
    added: int
    sources: int
    without_vector: int


@translate()
def expand(
    conn: psycopg.Connection,
    *,
    edition: str,
    into: str | None = None,
    neighbours: int = 10,
    threshold: float = 0.8,
    from_rel: int = 2,
    rel: int | None = None,
) -> Expanded:
    """Make an edition of another's judgments and the title neighbours of its relevant documents (sql/qrels/expand_qrels.sql).

    Never over a judgment, never a document as its own neighbour, one judgment per query and document; exact.

    :param into: the new edition; None is ``<edition>-knn``.
    :param neighbours: of each relevant document at most. :param threshold: the cosine they must have, in [-1, 1].
    :param from_rel: the lowest grade that is expanded. :param rel: the grade of the neighbours; None is that of their source.
    :raises UnknownObject: there is no such edition.
    :raises BadArgument: the new edition exists, or an argument is out of range.
    :raises StateError: there are no title vectors.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Expanded)) as cursor:
        row = cursor.execute(
            "SELECT * FROM expand_qrels(%s, %s, %s, %s, %s, %s)", [edition, into, neighbours, threshold, from_rel, rel]
        ).fetchone()
    return row or Expanded(expansion=into or f"{edition}-knn", copied=0, added=0, sources=0, without_vector=0)
