"""Credibility: rank documents by citations, and check citation counts against the references in the corpus.

SQL in sql/complexity/ does the work: rank_citations, credibility, citation_check, complexity_status.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.declared import Option
from stcollection.errors import StateError, translate


class CredibilityOverview(NamedTuple):
    """The data behind credibility, as numbers of documents (sql/complexity/credibility_overview.sql).

    :param with_citations: documents with n_citation.
    :param cited: documents with n_citation above 0.
    :param with_references: documents that list references.
    :param to_rank: documents that currently have n_citation and a plausible year.
    :param ranked: documents in citation_ranks.
    :param in_fields: ranked documents that are compared within a field of study; the others are compared only within their year.
    :param as_of: the year from which ages are computed; None if no document has one.
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
def rank_citations(
    conn: psycopg.Connection,
    *,
    least: Annotated[
        int | None, Option("--min-documents", metavar="N", default="that of the last ranking, or 30 before the first")
    ] = None,
    as_of: Annotated[int | None, Option(metavar="YEAR", default="the newest in the corpus")] = None,
) -> CredibilityOverview:
    """Rank all documents by citations within their year and fields of study (sql/complexity/rank_citations.sql).

    :param least: Smallest number of documents per field and year for a comparison within the field.
    :param as_of: Year to count ages from.
    :raises BadArgument: an argument is out of range.
    :raises StateError: no document has a year and citations.
    """
    with conn.transaction():
        conn.execute("SELECT stc.rank_citations(%s, %s)", [least, as_of])
        return overview(conn)


@translate()
def overview(conn: psycopg.Connection) -> CredibilityOverview:
    """Return the data behind credibility, and whether the ranking is up to date."""
    with conn.cursor(row_factory=class_row(CredibilityOverview)) as cursor:
        row = cursor.execute("SELECT * FROM stc.credibility_overview").fetchone()
    assert row is not None  # noqa: S101
    return row


class CitationCheck(NamedTuple):
    """Comparison of n_citation with the references in the corpus (sql/complexity/citation_check.sql).

    :param documents, with_references: all documents, and those that list references.
    :param listed: number of references; ``repeated`` counts those listed again in the same document.
    :param itself: documents that list themselves; these references are not counted below.
    :param inside: references to documents in the corpus, each counted once per document.
    :param compared: documents with n_citation.
    :param contradicted: compared documents that are cited more often within the corpus than n_citation says.
    :param share: contradicted / compared, 0 to 1; None if nothing is compared.
    :param n_citation, counted: sums over the compared documents.
    :param spearman: rank correlation of both, -1 to 1; None if one of them is constant.
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
def check(conn: psycopg.Connection, *, worst: Annotated[int, Option("--limit", metavar="N")] = 10) -> CitationCheck:
    """Recount citations from the references in the corpus, and compare them with n_citation.

    The contradicted documents are dicts of id, docno, n_citation, counted, title; largest excess first.

    :param worst: Number of contradicted documents to list.
    :raises StateError: the corpus is empty.
    :raises BadArgument: worst is below 0.
    """
    with conn.cursor(row_factory=class_row(CitationCheck)) as cursor:
        row = cursor.execute("SELECT * FROM stc.citation_check(%s)", [worst]).fetchone()
    assert row is not None  # noqa: S101
    if not row.documents:
        raise StateError("the corpus is empty", hint="Load documents with 'stc load --as corpus'.", sqlstate="IR405")
    return row


@translate()
def status(conn: psycopg.Connection) -> list[tuple[str, str, int, str | None]]:
    """Return counts for readability, credibility and annotations: rows of part, what, count, note."""
    return conn.execute("SELECT part, what, count, note FROM stc.complexity_status()").fetchall()
