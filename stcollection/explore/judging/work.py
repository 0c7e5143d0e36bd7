"""What the judging tab asks of the database and stores in it: functions of a connection, each over SQL functions of sql/qrels/."""

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

    :param number: its place among the documents that the annotator has of its query, from 1, of :attr:`of`.
    :param changed: when it was decided on last; what :func:`decide` compares, so that nothing is overwritten unseen.
    :param words: of title and abstract those that the query asks for.
    """

    changed: datetime | None
    number: int
    of: int
    words: frozenset[str] = frozenset()


class OfSheet(NamedTuple):
    """How far a sheet is with one query."""

    query: str
    query_text: str | None
    documents: int
    judged: int
    skipped: int
    submitted: int


class DifferingGrade(NamedTuple):
    """A grade that differs from another annotator's. :param apart: highest less lowest grade of the document."""

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
    """Two annotators on the documents that both judged. :param same: share of them with one grade."""

    annotator: str
    other: str
    documents: int
    same: float
    kappa: float | None
    kappa_linear: float | None


class PoolAlpha(NamedTuple):
    """All annotators together, on what more than one judged."""

    annotators: int
    documents: int
    judgments: int
    nominal: float | None
    ordinal: float | None


def all_pools(conn: psycopg.Connection) -> list[PoolOverview]:
    return pools(conn)


def of_pool(conn: psycopg.Connection, pool: str) -> list[OfQuery]:
    """The queries of a pool, judged by anyone."""
    return pool_queries(conn, pool)


def begin(conn: psycopg.Connection, pool: str, annotator: str) -> dict[int, str]:
    """The scale of a pool, where the annotator can judge it: the pool knows the annotator, and this role can store judgments.

    :raises UnknownObject: there is no such pool. :raises BadArgument: it is not shared with the annotator.
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
            "this page is connected as a role that can only read: no judgment would be stored",
            hint="Ask who runs it to start 'stc explore' as a role that may write.",
        )
    return grades


def progress(conn: psycopg.Connection, pool: str, annotator: str) -> list[OfSheet]:
    """The queries of a sheet, in its order."""
    with conn.cursor(row_factory=class_row(OfSheet)) as cursor:
        return cursor.execute("SELECT * FROM stc.sheet_queries(%s, %s)", [pool, annotator]).fetchall()


def next_token(conn: psycopg.Connection, pool: str, annotator: str, query: str | None, passed: list[str]) -> str | None:
    """What is to be judged next. :param passed: what is in hand elsewhere."""
    row = conn.execute("SELECT stc.open_to_assess(%s, %s, %s, %s)", [pool, annotator, query, passed]).fetchone()
    return row[0] if row else None


def paper(conn: psycopg.Connection, pool: str, annotator: str, token: str) -> BlindDocument:
    """Return one document of a sheet, blind.

    :raises UnknownObject: it is not on the sheet.
    """
    with conn.cursor(row_factory=class_row(BlindDocument)) as cursor:
        found = cursor.execute(
            "SELECT token, topic, topic_text, query, query_text, docno, title, abstract, rel, note, state, changed, number, of"
            "  FROM (SELECT s.*, row_number() OVER (PARTITION BY s.query ORDER BY s.place) AS number,"
            "               count(*) OVER (PARTITION BY s.query) AS of FROM stc.pool_sheet(%s, %s) s) s WHERE token = %s",
            [pool, annotator, token],
        ).fetchone()
    if found is None:
        raise UnknownObject(f"{token} is not on the sheet of {annotator}", hint="Begin again.")
    text = " ".join(filter(None, (found.title, found.abstract)))
    words = AssessorSheet(conn, pool, annotator).asked_for(found.query_text, text)
    return BlindDocument(**{**found.__dict__, "words": frozenset(words)})


def before(conn: psycopg.Connection, pool: str, annotator: str, token: str, *, again: bool) -> str | None:
    """The token of what was decided on before. :param again: the document of the token is itself shown again."""
    found = AssessorSheet(conn, pool, annotator).before(token, shown_again=again)
    return found.token if found else None


def decided_last(conn: psycopg.Connection, pool: str, annotator: str) -> str | None:
    """The token of what was decided on last."""
    return before(conn, pool, annotator, "", again=False)


def decide(
    conn: psycopg.Connection, pool: str, annotator: str, token: str, rel: int | None, note: str | None, seen: datetime | None
) -> BlindDocument | None:
    """Store a grade, or None to skip. Returns the document as it is then; None, and nothing is stored, if the sheet says otherwise
    than was seen.

    :param note: None leaves the one there is, '' takes it away. :param seen: ``Paper.changed`` as it was shown.
    :raises BadArgument: the grade is not in the scale, or the judgment was submitted.
    """
    row = conn.execute("SELECT stc.assess_seen(%s, %s, %s, %s, %s, %s)", [pool, annotator, token, rel, note, seen]).fetchone()
    return paper(conn, pool, annotator, token) if row and row[0] else None


def mine(conn: psycopg.Connection, pool: str, annotator: str) -> dict[tuple[str, str], tuple[str, int | None]]:
    """Of the documents on a sheet, by query and docno, the token and the annotator's own grade."""
    rows = conn.execute("SELECT query, docno, token, rel FROM stc.pool_sheet(%s, %s)", [pool, annotator]).fetchall()
    return {(query, docno): (token, rel) for query, docno, token, rel in rows}


def disagreements(conn: psycopg.Connection, pool: str, query: str | None) -> list[DifferingGrade]:
    """What annotators grade differently, document by document. :param query: None is all."""
    with conn.cursor(row_factory=class_row(DifferingGrade)) as cursor:
        return cursor.execute("SELECT * FROM pool_disagreements(%s, %s)", [pool, query]).fetchall()


def agreement(conn: psycopg.Connection, pool: str, query: str | None) -> tuple[list[SheetPair], PoolAlpha]:
    """Each two annotators, and all together."""
    with conn.cursor(row_factory=class_row(SheetPair)) as cursor:
        pairs = cursor.execute("SELECT * FROM stc.pool_agreement(%s, %s)", [pool, query]).fetchall()
    row = conn.execute("SELECT * FROM stc.pool_alpha(%s, %s)", [pool, query]).fetchone()
    return pairs, PoolAlpha(*row) if row else PoolAlpha(0, 0, 0, None, None)
