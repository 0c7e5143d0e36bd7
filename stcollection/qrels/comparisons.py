"""Compare two documents of a query instead of grading each: the next pair, decisions, progress, and preferences (sql/qrels/)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.db.connection import vacuum
from stcollection.db.rows import records
from stcollection.declared import INTERNAL
from stcollection.errors import translate
from stcollection.qrels.parameters import PoolName
from stcollection.topics.sets import ALL, SetExpression

Choice = Literal["left", "right", "equal", "neither", "undecided"]


class DocumentPair(NamedTuple):
    """Two documents to compare, by their tokens on the sheet.

    :param number: number of the comparison for the query, from 1.
    :param remaining: largest number of comparisons of the query that can still be needed.
    """

    query: str
    number: int
    left_token: str
    right_token: str
    remaining: int = 0


class PairProgress(NamedTuple):
    """Comparisons of an annotator for a query.

    :param placed: documents with a place in the order. :param aside: documents set aside, as the annotator could not decide.
    :param remaining: largest number of comparisons that can still be needed; 0 if the order is complete.
    """

    annotator: str
    query: str
    query_text: str | None
    documents: int
    placed: int
    aside: int
    compared: int
    remaining: int
    median_seconds: float | None
    submitted: bool


@dataclass(frozen=True, kw_only=True)
class SubmittedPairs:
    """Counts of submitted orders. :param queries: orders, summed over annotators. :param incomplete: orders not submitted."""

    queries: int
    levels: int
    added: int
    unchanged: int
    incomplete: int


@translate()
def next_pair(
    conn: psycopg.Connection,
    pool: str,
    annotator: str,
    *,
    query: str | None = None,
    passed: Sequence[str] = (),
    queries: str = ALL,
    near: str | None = None,
) -> DocumentPair | None:
    """Return the next two documents to compare; None if all orders are complete.

    :param query: the only query. :param passed: queries to skip. :param queries: a set of queries.
    :param near: a query that comes first if its order is not complete.
    :raises UnknownObject: the pool is not stored, the query is not on the sheet, or the set names no query of the pool.
    :raises BadArgument: the pool is not shared with the annotator.
    """
    with conn.cursor(row_factory=class_row(DocumentPair)) as cursor:
        arguments = [pool, annotator, query, list(passed), queries, near]
        return cursor.execute("SELECT * FROM stc.next_pair(%s, %s, %s, %s, %s, %s)", arguments).fetchone()


@translate()
def compare_pair(
    conn: psycopg.Connection,
    pool: str,
    annotator: str,
    pair: DocumentPair,
    choice: Choice,
    *,
    seconds: float | None = None,
    decision: str | None = None,
) -> bool:
    """Store a decision. Return False if the pair is not the next one any more.

    :param pair: its documents are found faster if it has their query; the number is not read.
    :param decision: an id; a decision that is sent twice is stored once.
    """
    row = conn.execute(
        "SELECT stc.compare_pair(%s, %s, %s, %s, %s, %s, %s, %s)",
        [pool, annotator, pair.left_token, pair.right_token, choice, seconds, decision, pair.query or None],
    ).fetchone()
    return bool(row and row[0])


@translate()
def undo_comparison(
    conn: psycopg.Connection, pool: str, annotator: str, *, query: str | None = None, decision: str | None = None
) -> str | None:
    """Remove the last comparison, of a query or of all. Return its query; None if nothing was compared, or it was submitted.

    :param decision: remove the comparison only if it has this id and is the last one of its query.
    """
    row = conn.execute("SELECT stc.undo_comparison(%s, %s, %s, %s)", [pool, annotator, query, decision]).fetchone()
    return row[0] if row else None


@translate()
def pair_progress(
    conn: psycopg.Connection,
    pool: PoolName,
    annotator: Annotated[str | None, INTERNAL] = None,
    *,
    queries: SetExpression = ALL,
) -> list[PairProgress]:
    """Return the progress by annotator and query of the sheet.

    :param annotator: None for all who have compared a pair.
    """
    return records(conn, PairProgress, "SELECT * FROM stc.pair_progress(%s, %s, %s)", [pool, annotator, queries])


@translate()
def submit_pairs(conn: psycopg.Connection, pool: str, *, edition: str, annotators: Sequence[str] = ()) -> SubmittedPairs:
    """Store the complete orders as preferences of an edition, in one transaction; repeating it adds nothing.

    :param annotators: whose orders; default: all.
    :raises UnknownObject: the pool is not stored. :raises BadArgument: an annotator has compared nothing.
    :raises StateError: no order is complete, or the edition is sealed.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(SubmittedPairs)) as cursor:
        [row] = cursor.execute("SELECT * FROM stc.submit_pairs(%s, %s, %s)", [pool, edition, list(annotators)]).fetchall()
    if row.added:
        vacuum(conn, "qrels_preferences")
    return row
