"""Expand judgments to neighbouring documents, in a new edition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.rows import class_row

from stcollection.db.pool import worker_count
from stcollection.errors import DatabaseError, translate
from stcollection.topics.sets import ALL
from stcollection.vectors.binary import decoded
from stcollection.vectors.exact import TooManyTies, nearest, passes
from stcollection.vectors.store import registered

_FEW = 10  # sources that SQL compares with all documents faster than one pass does


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
