"""Database access of the judging tab: functions of a connection that call the SQL functions in sql/qrels/."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import StateError, UnknownObject
from stcollection.qrels.assess import AssessorSheet, SheetDocument
from stcollection.qrels.pools import OfQuery, PoolOverview, pool_queries, pools


@dataclass(frozen=True, kw_only=True)
class BlindDocument(SheetDocument):
    """One document on a sheet, blind, as the page shows it.

    :param number: position among the annotator's documents of the query, from 1 to :attr:`of`.
    :param changed: time of the last decision; :func:`decide` compares it, so that no newer decision is overwritten.
    :param words: words of title and abstract that match the query.
    """

    changed: datetime | None
    number: int
    of: int
    words: frozenset[str] = frozenset()


class OfSheet(NamedTuple):
    """Progress of a sheet for one query."""

    query: str
    query_text: str | None
    documents: int
    judged: int
    skipped: int
    submitted: int


class DifferingGrade(NamedTuple):
    """A grade that differs from another annotator's. :param apart: highest minus lowest grade of the document."""

    query: str
    query_text: str | None
    docno: str
    title: str | None
    apart: int
    annotator: str
    rel: int
    note: str | None
    changed: datetime
    submitted: bool


class SheetPair(NamedTuple):
    """Agreement of two annotators on the documents that both judged. :param same: share with equal grades."""

    annotator: str
    other: str
    documents: int
    same: float
    kappa: float | None
    kappa_linear: float | None


class PoolAlpha(NamedTuple):
    """Agreement of all annotators, on the documents that at least two judged."""

    annotators: int
    documents: int
    judgments: int
    nominal: float | None
    ordinal: float | None


def all_pools(conn: psycopg.Connection) -> list[PoolOverview]:
    return pools(conn)


def of_pool(conn: psycopg.Connection, pool: str) -> list[OfQuery]:
    """Return the queries of a pool with the judgments of all annotators."""
    return pool_queries(conn, pool)


def begin(conn: psycopg.Connection, pool: str, annotator: str) -> dict[int, str]:
    """Check that the annotator can judge the pool and that this role can store judgments. Return the pool's grades.

    :raises UnknownObject: the pool does not exist. :raises BadArgument: it is not shared with the annotator.
    :raises StateError: the role can only read.
    """
    sheet = AssessorSheet(conn, pool, annotator)
    grades = sheet.grades()
    sheet.progress()
    [may] = conn.execute(
        "SELECT has_table_privilege('stc.qrels_assessments', 'INSERT') AND has_table_privilege('stc.qrels_assessments', 'UPDATE')"
        "   AND has_any_column_privilege('stc.qrels_pools', 'UPDATE') AND NOT pg_is_in_recovery()"
    ).fetchone() or (False,)
    if not may:
        raise StateError(
            "this page is connected with a read-only role, so judgments cannot be stored",
            hint="Ask its administrator to start 'stc explore' with a role that can write.",
        )
    return grades


def progress(conn: psycopg.Connection, pool: str, annotator: str) -> list[OfSheet]:
    """Return the queries of a sheet, in the order of the sheet."""
    with conn.cursor(row_factory=class_row(OfSheet)) as cursor:
        return cursor.execute("SELECT * FROM stc.sheet_queries(%s, %s)", [pool, annotator]).fetchall()


def next_token(conn: psycopg.Connection, pool: str, annotator: str, query: str | None, passed: list[str]) -> str | None:
    """Return the token of the next document to judge, or None. :param passed: tokens reserved by other pages."""
    row = conn.execute("SELECT stc.open_to_assess(%s, %s, %s, %s)", [pool, annotator, query, passed]).fetchone()
    return row[0] if row else None


def paper(conn: psycopg.Connection, pool: str, annotator: str, token: str) -> BlindDocument:
    """Return one document of a sheet, blind.

    :raises UnknownObject: the document is not on the sheet.
    """
    with conn.cursor(row_factory=class_row(BlindDocument)) as cursor:
        found = cursor.execute(
            "SELECT token, topic, topic_text, query, query_text, docno, title, abstract, rel, note, state, changed, number, of"
            "  FROM (SELECT s.*, row_number() OVER (PARTITION BY s.query ORDER BY s.place) AS number,"
            "               count(*) OVER (PARTITION BY s.query) AS of FROM stc.pool_sheet(%s, %s) s) s WHERE token = %s",
            [pool, annotator, token],
        ).fetchone()
    if found is None:
        raise UnknownObject(f"{token} is not on the sheet of {annotator}", hint="Reload the page and start again.")
    text = " ".join(filter(None, (found.title, found.abstract)))
    words = AssessorSheet(conn, pool, annotator).asked_for(found.query_text, text)
    return BlindDocument(**{**found.__dict__, "words": frozenset(words)})


def before(conn: psycopg.Connection, pool: str, annotator: str, token: str, *, again: bool) -> str | None:
    """Return the token of the previous decision, or None. :param again: the reader went back to the document of the token."""
    found = AssessorSheet(conn, pool, annotator).before(token, shown_again=again)
    return found.token if found else None


def decided_last(conn: psycopg.Connection, pool: str, annotator: str) -> str | None:
    """Return the token of the last decision, or None."""
    return before(conn, pool, annotator, "", again=False)


def decide(
    conn: psycopg.Connection, pool: str, annotator: str, token: str, rel: int | None, note: str | None, seen: datetime | None
) -> BlindDocument | None:
    """Store a grade, or None to skip, unless the sheet has changed since the page showed the document.

    :param note: None keeps the stored note, '' deletes it. :param seen: ``BlindDocument.changed`` as shown on the page.
    :returns: the document in its new state; None if the sheet has changed, and nothing is stored.
    :raises BadArgument: the grade is not in the scale, or the judgment was submitted.
    """
    row = conn.execute("SELECT stc.assess_seen(%s, %s, %s, %s, %s, %s)", [pool, annotator, token, rel, note, seen]).fetchone()
    return paper(conn, pool, annotator, token) if row and row[0] else None


def mine(conn: psycopg.Connection, pool: str, annotator: str) -> dict[tuple[str, str], tuple[str, int | None]]:
    """Return token and own grade of each document on a sheet, by (query, docno)."""
    rows = conn.execute("SELECT query, docno, token, rel FROM stc.pool_sheet(%s, %s)", [pool, annotator]).fetchall()
    return {(query, docno): (token, rel) for query, docno, token, rel in rows}


def disagreements(conn: psycopg.Connection, pool: str, query: str | None) -> list[DifferingGrade]:
    """Return the grades that differ between annotators, by document. :param query: None for all."""
    with conn.cursor(row_factory=class_row(DifferingGrade)) as cursor:
        return cursor.execute("SELECT * FROM pool_disagreements(%s, %s)", [pool, query]).fetchall()


def agreement(conn: psycopg.Connection, pool: str, query: str | None) -> tuple[list[SheetPair], PoolAlpha]:
    """Return the agreement of each pair of annotators, and of all."""
    with conn.cursor(row_factory=class_row(SheetPair)) as cursor:
        pairs = cursor.execute("SELECT * FROM stc.pool_agreement(%s, %s)", [pool, query]).fetchall()
    row = conn.execute("SELECT * FROM stc.pool_alpha(%s, %s)", [pool, query]).fetchone()
    return pairs, PoolAlpha(*row) if row else PoolAlpha(0, 0, 0, None, None)
