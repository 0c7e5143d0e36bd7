"""Expand judgments to neighbouring documents, in a new edition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row

from stcollection.errors import DatabaseError, translate
from stcollection.moved import grouped
from stcollection.topics.sets import ALL


@dataclass(frozen=True, kw_only=True)
class NeighbourRules:
    """Rules that select the neighbours of a judged document and their grade.

    :param from_rel: the lowest grade to expand. :param rel: grade of the neighbours; None copies the grade of their source.
    :param field: title, abstract or content. :param model: model of the vectors; None uses the default.
    :param test: test editions whose queries may be expanded; queries of other test editions are refused.
    :param effort: 0 for exact search; None uses the vector index with its default effort, a number with that effort.
    :param queries: expand only the queries of a set (:func:`~stcollection.topics.sets.members`).
    """

    from_rel: int = 2
    rel: int | None = None
    field: str = "title"
    model: str | None = None
    test: Sequence[str] = ()
    effort: int | None = 0
    queries: str = ALL


RELEVANT_BY_TITLE = NeighbourRules()


@dataclass(frozen=True, kw_only=True)
class Expanded:
    """Counts of an expansion.

    :param expansion: the new edition. :param copied: judgments of the old edition, one per query and document.
    :param added: judgments of neighbours.
    :param sources: relevant documents with a vector. :param without_vector: relevant documents without one.
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
    """Make an edition with the judgments of another and the neighbours of its relevant documents (sql/qrels/expand_qrels.sql).

    Existing judgments are never replaced. A document is not its own neighbour. There is one judgment per query and document.

    :param into: name of the new edition; default ``<edition>-knn``.
    :param neighbours: maximum number per relevant document. :param threshold: minimum cosine, in [-1, 1].
    :raises UnknownObject: unknown edition, model, field or set of queries.
    :raises BadArgument: the new edition exists, queries belong to a test edition, or an argument is out of range.
    :raises StateError: the model has no vectors of this field.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Expanded)) as cursor:
        row = cursor.execute(
            "SELECT * FROM expand_qrels(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
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
                rules.queries,
            ],
        ).fetchone()
    if row is None:
        raise DatabaseError(
            "expand_qrels returned no row", hint="Run the same command again, and report the defect if it fails again."
        )
    return row
