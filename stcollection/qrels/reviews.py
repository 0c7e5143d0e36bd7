"""Review status of judged documents, separate from their grades (sql/qrels/review_document.sql)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.declared import Option
from stcollection.errors import translate
from stcollection.qrels.parameters import PoolName

ReviewState = Literal["open", "in-review", "settled"]


class Review(NamedTuple):
    """A status that a document was given. :param current: it counts now; else a later one replaced it."""

    query: str
    docno: str
    state: str
    reviewer: str
    note: str | None
    marked: datetime
    current: bool


@translate()
def reviews(conn: psycopg.Connection, pool: PoolName) -> list[Review]:
    """Return the review status of documents of a pool over time, by query and document.

    :raises UnknownObject: the pool is not stored.
    """
    return records(conn, Review, "SELECT * FROM stc.pool_reviews(%s)", [pool])


@translate()
def review(
    conn: psycopg.Connection,
    pool: PoolName,
    query: Annotated[str, Option("QUERY")],
    docno: Annotated[str, Option("DOC")],
    state: Annotated[ReviewState, Option("STATUS")],
    *,
    reviewer: Annotated[str, Option(metavar="NAME")],
    note: str | None = None,
) -> bool:
    """Mark a judged document of a pool as open, in review or settled. No grade changes, and earlier marks are kept.

    :param reviewer: Who sets the status. :param note: Why.
    :returns: False if the document has this status already, and there is no note.
    :raises UnknownObject: the pool is not stored. :raises BadArgument: nobody has graded the document.
    """
    with conn.transaction():
        row = conn.execute(
            "SELECT stc.review_document(%s, %s, %s, %s, %s, %s)", [pool, query, docno, state, reviewer, note]
        ).fetchone()
    return bool(row and row[0])
