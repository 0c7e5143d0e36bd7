"""Credibility: documents ranked by their citations, and the citations checked against the references of the corpus.

The work is done by sql/complexity/: rank_citations, credibility, citation_check, complexity_status.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import StateError, translate


class CredibilityOverview(NamedTuple):
    """What credibility is told from, in documents (sql/complexity/credibility_overview.sql).

    :param with_citations: that say n_citation. :param cited: that say more than 0. :param with_references: that list any.
    :param to_rank: with n_citation and a plausible year, as it is now. :param ranked: in citation_ranks.
    :param in_fields: of these, compared within a field of study; the others within their year alone.
    :param as_of: the year that ages are counted to; None where no document has one.
    :param at_least, ranked_at, stale: of the last ranking; None before the first.
    """

    documents: int
    with_citations: int
    cited: int
    with_references: int
    to_rank: int
    ranked: int
    in_fields: int
    as_of: int | None
    at_least: int | None
    ranked_at: datetime | None
    stale: bool | None


@translate()
def rank(conn: psycopg.Connection, *, least: int = 30, as_of: int | None = None) -> CredibilityOverview:
    """Rank all documents by their citations within their year and their fields of study (sql/complexity/rank_citations.sql).

    :param least: documents that a field needs in a year to be compared within, 1 or more.
    :param as_of: the year that ages are counted to; None is the newest plausible one in the corpus.
    :raises BadArgument: one of them is out of range. :raises StateError: no document has a year and citations.
    """
    with conn.transaction():
        conn.execute("SELECT stc.rank_citations(%s, %s)", [least, as_of])
        return overview(conn)


@translate()
def overview(conn: psycopg.Connection) -> CredibilityOverview:
    """What credibility is told from, and whether the ranking still holds."""
    with conn.cursor(row_factory=class_row(CredibilityOverview)) as cursor:
        row = cursor.execute("SELECT * FROM stc.credibility_overview").fetchone()
    assert row is not None  # noqa: S101
    return row


class CitationCheck(NamedTuple):
    """n_citation against the references of the corpus itself (sql/complexity/citation_check.sql).

    :param documents, with_references: of the corpus; those that list any.
    :param listed: references of all; ``repeated`` of them stand in the same document a second time.
    :param itself: documents that list themselves; they do not count below.
    :param inside: references into the corpus, each once a document.
    :param compared: documents that say n_citation. :param contradicted: of these, counted more often than it says.
    :param share: contradicted / compared, 0 to 1; None where nothing is compared.
    :param n_citation, counted: sums over the compared.
    :param spearman: rank correlation of both, -1 to 1; None where one of them does not vary.
    """

    documents: int
    with_references: int
    listed: int
    repeated: int
    itself: int
    inside: int
    compared: int
    contradicted: int
    share: float | None
    n_citation: int
    counted: int
    spearman: float | None
    worst_documents: list[dict[str, object]]


@translate()
def check(conn: psycopg.Connection, *, worst: int = 10) -> CitationCheck:
    """Count citations again from the references of the corpus, and compare.

    :param worst: at most so many contradicted documents are named: dicts of id, docno, n_citation, counted, title; the greatest
        excess first.
    :raises StateError: the corpus is empty. :raises BadArgument: worst below 0.
    """
    with conn.cursor(row_factory=class_row(CitationCheck)) as cursor:
        row = cursor.execute("SELECT * FROM stc.citation_check(%s)", [worst]).fetchone()
    assert row is not None  # noqa: S101
    if not row.documents:
        raise StateError("the corpus is empty", hint="'stc corpus load' takes documents in.", sqlstate="IR405")
    return row


@translate()
def status(conn: psycopg.Connection) -> list[tuple[str, str, int, str | None]]:
    """Readability, credibility and annotations in numbers: rows of part, what, count, note."""
    return conn.execute("SELECT part, what, count, note FROM stc.complexity_status()").fetchall()
