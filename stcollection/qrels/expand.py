"""Expand judgments to neighbouring documents, in a new edition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.rows import class_row

from stcollection.db.pool import worker_count
from stcollection.declared import INTERNAL, AllowedRange, Option, declare
from stcollection.errors import DatabaseError, translate
from stcollection.topics.sets import ALL, SetExpression
from stcollection.vectors.binary import decoded
from stcollection.vectors.exact import TooManyTies, nearest, passes
from stcollection.vectors.store import registered

_FEW = 10  # sources that SQL compares with all documents faster than one pass does


@dataclass(frozen=True, kw_only=True)
class NeighbourRules:
    """Rules that select the neighbours of a judged document and their grade.

    :param from_rel: Lowest grade of the documents to expand.
    :param rel: Grade of the new judgments.
    :param field: Field whose vectors define the neighbours.
    :param model: Embedding model.
    :param test: Allow expansion of the queries of this test edition, which is otherwise an error. Repeatable.
    :param effort: 0 for exact search; None uses the vector index with its default effort, a number with that effort.
    """

    from_rel: int = 2
    rel: Annotated[int | None, Option(default="the grade of the expanded document")] = None
    field: Annotated[str, Option(choices=("title", "abstract", "content"))] = "title"
    model: Annotated[str | None, Option(metavar="SHORT", default="the collection's default model")] = None
    test: Annotated[Sequence[str], Option(metavar="EDITION")] = ()
    effort: Annotated[int | None, INTERNAL] = 0
    queries: SetExpression = ALL


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


@declare
@translate()
def expand(
    conn: psycopg.Connection,
    edition: Annotated[str, Option(metavar="EDITION")],
    into: Annotated[str | None, Option(default="the edition's name with -knn")] = None,
    *,
    neighbours: Annotated[int, AllowedRange(ge=1)] = 10,
    threshold: Annotated[float, AllowedRange(ge=-1, le=1)] = 0.8,
    rules: NeighbourRules = RELEVANT_BY_TITLE,
) -> Expanded:
    """Make an edition with the judgments of another and the neighbours of its relevant documents (sql/qrels/expand_qrels.sql).

    >>> c.qrels.expand("train", threshold=0.85)

    Existing judgments are never replaced. A document is not its own neighbour. There is one judgment per query and document.

    :param edition: Edition to expand. It does not change.
    :param into: Name of the new edition.
    :param neighbours: Largest number of neighbours per relevant document.
    :param threshold: Smallest cosine of a neighbour.
    :raises UnknownObject: unknown edition, model, field or set of queries.
    :raises BadArgument: the new edition exists, queries belong to a test edition, or an argument is out of range.
    :raises StateError: the model has no vectors of this field.
    """
    near = near_pairs(conn, edition, into or f"{edition}-knn", neighbours=neighbours, threshold=threshold, rules=rules)
    with conn.transaction(), conn.cursor(row_factory=class_row(Expanded)) as cursor:
        row = cursor.execute(
            "SELECT * FROM expand_qrels(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::bigint[])",
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
                near,
            ],
        ).fetchone()
    if row is None:
        raise DatabaseError(
            "expand_qrels returned no row", hint="Run the same command again, and report the defect if it fails again."
        )
    return row


def near_pairs(
    conn: psycopg.Connection, edition: str, into: str = "", *, neighbours: int, threshold: float, rules: NeighbourRules
) -> list[list[int]] | None:
    """Compare the sources of an expansion with all documents in one pass, for an exact search outside a transaction.

    :param into: nothing is compared if this edition exists.
    :returns: pairs of a source and a document for near_among (sql/qrels/near_among.sql), which computes their cosines; None if SQL
        is to compare all documents, or to use the index.
    """
    exact = rules.effort == 0 and neighbours >= 1 and -1 <= threshold <= 1
    if not exact or conn.info.transaction_status != TransactionStatus.IDLE:
        return None
    pairs: list[list[int]] = []
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        rows = conn.execute(
            "SELECT s.judged FROM stc.expansion_sources(%s, %s, %s, %s, %s, %s) s WHERE s.sources > %s AND stc.documents_here()"
            " AND NOT EXISTS (SELECT FROM qrels_editions WHERE edition = %s)",
            [edition, rules.from_rel, rules.field, rules.model, list(rules.test), rules.queries, _FEW, into],
        ).fetchall()
        if not rows:
            return None
        space = registered(conn, rules.model)
        query = sql.SQL(
            "SELECT v.id, vector_send(l2_normalize(v.{v})::vector) FROM {table} v WHERE v.id = ANY (%s) AND v.{v} IS NOT NULL"
        )
        sources = conn.execute(
            query.format(v=sql.Identifier(f"{rules.field}_v"), table=sql.Identifier(space.relation)), [rows[0][0]], binary=True
        ).fetchall()
        vectors = decoded(b"".join(sent for _, sent in sources), space.dim)
        try:
            for part in passes(len(sources), neighbours + 1):
                near = nearest(conn, space, rules.field, vectors[part], k=neighbours + 1, sessions=_sessions(conn), normalized=True)
                for (source, _), docs in zip(sources[part], near, strict=True):
                    pairs += ([source, doc] for doc in docs.tolist())
        except TooManyTies:
            return None
    return pairs


def _sessions(conn: psycopg.Connection) -> int:
    """Return the number of sessions that read: one unless the others are of the same role."""
    return worker_count(None) if conn.execute("SELECT current_user = session_user").fetchone() == (True,) else 1
