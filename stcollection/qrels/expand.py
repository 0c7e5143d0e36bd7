"""Judgments expanded by neighbouring documents, into an edition of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row

from stcollection.errors import DatabaseError, translate
from stcollection.moved import grouped


@dataclass(frozen=True, kw_only=True)
class NeighbourRules:
    """Which documents are near to one that is judged, and what they get.

    :param from_rel: the lowest grade that is expanded. :param rel: the grade of the neighbours; None is that of their source.
    :param field: title, abstract or content. :param model: whose vectors; None is the default one.
    :param test: the test editions whose queries may be expanded; those of others are refused.
    :param effort: 0 is exact, None takes the vector index with its own effort, a number with that one.
    """

    from_rel: int = 2
    rel: int | None = None
    field: str = "title"
    model: str | None = None
    test: Sequence[str] = ()
    effort: int | None = 0


RELEVANT_BY_TITLE = NeighbourRules()


@dataclass(frozen=True, kw_only=True)
class Expanded:
    """What an expansion did.

    :param expansion: the new edition. :param copied: judgments of the old one. :param added: judgments by neighbours.
    :param sources: documents judged relevant that have a vector. :param without_vector: those that have none.
    """

    expansion: str
    copied: int
    added: int
    sources: int
    without_vector: int


@grouped(rules=NeighbourRules)
@translate()
def expand(
    conn: psycopg.Connection,
    *,
    edition: str,
    into: str | None = None,
    neighbours: int = 10,
    threshold: float = 0.8,
    rules: NeighbourRules = RELEVANT_BY_TITLE,
) -> Expanded:
    """Make an edition of another's judgments and the neighbours of its relevant documents (sql/qrels/expand_qrels.sql).

    Never over a judgment, never a document as its own neighbour, one judgment per query and document.

    :param into: the new edition; None is ``<edition>-knn``.
    :param neighbours: of each relevant document at most. :param threshold: the cosine they must have, in [-1, 1].
    :raises UnknownObject: there is no such edition, model or field.
    :raises BadArgument: the new edition exists, queries are of a test edition, or an argument is out of range.
    :raises StateError: there are no such vectors.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Expanded)) as cursor:
        row = cursor.execute(
            "SELECT * FROM expand_qrels(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                edition,
                into,
                neighbours,
                threshold,
                rules.from_rel,
                rules.rel,
                rules.field,
                rules.model,
                list(rules.test),
                rules.effort,
            ],
        ).fetchone()
    if row is None:
        raise DatabaseError("expand_qrels returned nothing")
    return row
