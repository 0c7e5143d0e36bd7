"""Assess documents one at a time: fetch the next one, store each decision immediately (sql/qrels/assess.sql)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.rows import class_row

from stcollection.errors import UnknownObject, translate
from stcollection.topics.sets import ALL

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class SheetDocument:
    """A document on a sheet, without run and rank. :param state: open, skipped, undecided, draft or submitted.

    :param article_title: title of the article that the topic comes from, or the topic's text.
    :param article_origin: its source, date and URL. :param article: its full text; None if it is not stored.
    :param rel: current grade. :param metadata: other fields of the document that the pool shows, by name.
    """

    token: str
    topic: str | None
    topic_text: str | None
    article_title: str | None
    article_origin: str | None
    article: str | None
    query: str
    query_text: str | None
    docno: str
    title: str | None
    abstract: str | None
    rel: int | None
    note: str | None
    state: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SheetProgress:
    """Progress of a sheet, and of one query on it."""

    judged: int
    skipped: int
    undecided: int = 0
    documents: int
    query_judged: int
    query_documents: int


@dataclass
class AssessorSheet:
    """An annotator's sheet of a pool, on a connection in autocommit mode: each decision is stored when its call returns.

    An advisory lock holds a document while it is shown, so that a second terminal of the annotator gets other documents. The server
    releases the lock when the connection ends.

    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`); :meth:`next` and :meth:`progress` use only these.
    """

    conn: psycopg.Connection
    pool: str
    annotator: str
    queries: str = ALL

    @translate()
    def grades(self) -> dict[int, str]:
        """Return the scale: grades with their meanings. :raises UnknownObject: the pool is not stored."""
        row = self.conn.execute(
            "SELECT params -> 'grades' FROM stc_all.qrels_pools WHERE id = stc.pool_key(%s)", [self.pool]
        ).fetchone()
        return {int(grade): meaning for grade, meaning in sorted(row[0].items())} if row and row[0] else {}

    @translate()
    def next(self) -> SheetDocument | None:
        """Return the next document: open ones first, then skipped ones, oldest first; None if no document is left.

        Documents that another terminal shows are omitted.

        :raises UnknownObject: the set names no query of the pool.
        """
        row = self.conn.execute("SELECT stc.next_to_assess(%s, %s, %s)", [self.pool, self.annotator, self.queries]).fetchone()
        return self.document(row[0]) if row and row[0] else None

    @translate()
    def document(self, token: str) -> SheetDocument:
        """Return a document of the sheet.

        :raises UnknownObject: the document is not on the sheet.
        """
        with self.conn.cursor(row_factory=class_row(SheetDocument)) as cursor:
            row = cursor.execute(
                "SELECT token, topic, topic_text, article_title, article_origin, article, query, query_text, docno, title,"
                "       abstract, rel, note, state, metadata"
                "  FROM stc.pool_sheet(%s, %s) WHERE token = %s",
                [self.pool, self.annotator, token],
            ).fetchone()
        if row is None:
            raise UnknownObject(f"{token} is not on the sheet of {self.annotator}", hint="'stc show pools' shows the pool.")
        return row

    @translate()
    def before(self, token: str, *, shown_again: bool = False) -> SheetDocument | None:
        """Return the document decided last, or last before this one if this one is shown again; None without one."""
        row = self.conn.execute(
            "SELECT earlier_token FROM stc.decided_before(%s, %s, %s, %s)", [self.pool, self.annotator, token, shown_again]
        ).fetchone()
        return self.document(row[0]) if row else None

    @translate()
    def decide(
        self, token: str, rel: int | None, note: str | None = None, *, undecided: bool = False, seconds: float | None = None
    ) -> None:
        """Store a grade, or None to skip. :param note: None keeps the stored note, '' removes it.

        :param undecided: the annotator cannot decide; rel is then None. :param seconds: time that the decision took.

        :raises BadArgument: the grade is not in the scale, or the judgment is already submitted.
        """
        self.conn.execute(
            "SELECT stc.assess(%s, %s, %s, %s, %s, %s, %s)", [self.pool, self.annotator, token, rel, note, undecided, seconds]
        )

    @translate()
    def release(self, token: str) -> None:
        """Release a document that :meth:`next` returned, so that another terminal can show it."""
        self.conn.execute("SELECT pg_advisory_unlock(stc.assessment_lock(%s, %s, %s))", [self.pool, self.annotator, token])

    @translate()
    def progress(self, query: str | None = None) -> SheetProgress:
        with self.conn.cursor(row_factory=class_row(SheetProgress)) as cursor:
            [row] = cursor.execute(
                "SELECT count(rel) AS judged, count(*) FILTER (WHERE state = 'skipped') AS skipped,"
                " count(*) FILTER (WHERE state = 'undecided') AS undecided, count(*) AS documents,"
                " count(rel) FILTER (WHERE query = %(query)s) AS query_judged,"
                " count(*) FILTER (WHERE query = %(query)s) AS query_documents FROM stc.pool_sheet(%(pool)s, %(annotator)s)"
                " WHERE query IN (SELECT s.query FROM query_set(%(queries)s) s)",
                {"pool": self.pool, "annotator": self.annotator, "query": query, "queries": self.queries},
            ).fetchall()
        return row

    @translate()
    def asked_for(self, query: str | None, text: str) -> set[str]:
        """Return the words of a text whose stems occur in the query."""
        row = self.conn.execute("SELECT stc.words_asked_for(%s, %s)", [query, sorted(set(_WORD.findall(text)))]).fetchone()
        return set(row[0]) if row else set()
