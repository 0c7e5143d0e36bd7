"""The organiser's view of a pool: progress of the annotators, drift, and final grades (sql/qrels/pool_assessors.sql and others)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.errors import translate
from stcollection.topics.sets import ALL, SetExpression


class AssessorProgress(NamedTuple):
    """Progress of an annotator.

    :param undecided: documents that the annotator cannot decide. :param median_seconds, mean_seconds: time of a decision.
    """

    annotator: str
    documents: int
    judged: int
    undecided: int
    skipped: int
    submitted: int
    notes: int
    median_seconds: float | None
    mean_seconds: float | None
    first_decision: datetime | None
    last_decision: datetime | None

    @property
    def remaining(self) -> int:
        return max(0, self.documents - self.judged - self.undecided)


class Drift(NamedTuple):
    """Agreement of an annotator with control documents, in the first and the second half of the decisions.

    :param same: share of documents with the edition's grade. :param bias: mean difference of grades, positive: more generous.
    """

    annotator: str
    documents: int
    same: float
    first_same: float | None
    second_same: float | None
    bias: float
    first_bias: float | None
    second_bias: float | None


class Decision(NamedTuple):
    """A decision of an annotator, or a final grade.

    :param outcome: ``graded``, ``undecided``, ``skipped`` or ``final``. :param seconds: time of the decision.
    :param review: review status of the document, and ``reviewer`` who set it; None if nobody has.
    """

    query: str
    docno: str
    annotator: str
    outcome: str
    grade: int | None
    note: str | None
    seconds: float | None
    changed: datetime
    submitted: bool
    review: str | None
    reviewer: str | None


@translate()
def decisions(conn: psycopg.Connection, pool: str) -> list[Decision]:
    """Return all decisions of a pool, ordered by query, document and annotator.

    :raises UnknownObject: the pool is not stored.
    """
    return records(conn, Decision, "SELECT * FROM stc.pool_decisions(%s)", [pool])


@translate()
def assessors(conn: psycopg.Connection, pool: str, *, queries: SetExpression = ALL) -> list[AssessorProgress]:
    """Return the progress of each annotator of a pool, ordered by name.

    :param queries: count only the queries of a set (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: the pool is not stored, or the set names no query.
    """
    return records(conn, AssessorProgress, "SELECT * FROM stc.pool_assessors(%s, %s)", [pool, queries])


@translate()
def drift(conn: psycopg.Connection, pool: str, *, edition: str) -> list[Drift]:
    """Compare the annotators of a pool with the known grades of an edition, over time.

    :raises UnknownObject: the pool or the edition is not stored.
    """
    return records(conn, Drift, "SELECT * FROM stc.pool_drift(%s, %s)", [pool, edition])


@translate()
def adjudicate(
    conn: psycopg.Connection, pool: str, *, adjudicator: str, query: str, docno: str, rel: int, note: str | None = None
) -> None:
    """Set the final grade of a document to which annotators gave different grades.

    :raises UnknownObject: the pool is not stored. :raises BadArgument: the grade is not in the scale, the grades do not differ, or
        the adjudicator is an annotator of the document.
    """
    with conn.transaction():
        conn.execute("SELECT stc.adjudicate(%s, %s, %s, %s, %s, %s)", [pool, adjudicator, query, docno, rel, note])
