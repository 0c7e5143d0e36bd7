"""Judge a pool document by document or pair by pair, for programs that run between an annotator and the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import NamedTuple, TypeVar

import psycopg

from stcollection.db.rows import records
from stcollection.errors import StateError, UnknownObject
from stcollection.qrels.assess import AssessorSheet, SheetDocument
from stcollection.qrels.comparisons import DocumentPair, next_pair
from stcollection.qrels.guidelines import pool_guidelines
from stcollection.qrels.labels import ShownLabel, labels_of
from stcollection.qrels.organise import Decision, decisions
from stcollection.qrels.reviews import ReviewState
from stcollection.texts import later
from stcollection.topics.sets import ALL, SetExpression, members

AHEAD = 10  # documents that the browser keeps for a lost connection


@dataclass(frozen=True, kw_only=True)
class BlindDocument(SheetDocument):
    """One document on a sheet, blind, as the page shows it.

    :param number: position among the annotator's documents of the query, from 1 to :attr:`of`.
    :param changed: time of the last decision; :func:`decide` compares it, so that no newer decision is overwritten.
    :param words: words of title and abstract that match the query. :param label: a language model's, if the pool shows it now.
    """

    changed: datetime | None
    number: int
    of: int
    words: frozenset[str] = frozenset()
    label: ShownLabel | None = None


@dataclass(frozen=True, kw_only=True)
class SentDecision:
    """A decision of an annotator.

    :param id: made by the browser, or None; a decision sent twice has the same one.
    :param rel: None if skipped or undecided.
    :param note: None keeps the stored note. :param seconds: time between showing the document and the decision.
    :param seen: time of the decision that was stored when the document was shown.
    :param invited: the annotator has an invitation and no login. :param query: of the document; it is then found faster.
    """

    id: str | None
    pool: str
    annotator: str
    token: str
    rel: int | None
    undecided: bool
    note: str | None
    seconds: float | None
    seen: datetime | None
    invited: bool = False
    query: str | None = None


@dataclass(frozen=True, kw_only=True)
class JudgingSession:
    """The annotator, pool and scale of a sheet.

    :param query: the only query to judge; None for all in turn. :param guidelines: of the pool; None for the default.
    :param queries: the set of queries to judge.
    """

    pool: str
    annotator: str
    query: str | None
    grades: Mapping[int, str]
    guidelines: str | None
    queries: str = ALL


@dataclass(frozen=True, kw_only=True)
class ShownPair:
    """Two documents to compare."""

    pair: DocumentPair
    left: BlindDocument
    right: BlindDocument


@dataclass(frozen=True, kw_only=True)
class SheetPage:
    """What a page of a sheet shows. :param paper: None if nothing is left. :param ahead: the next documents after it.

    :param grades: of the pool, with their meanings.
    """

    grades: Mapping[int, str]
    paper: BlindDocument | None
    counts: SheetCounts
    ahead: Sequence[BlindDocument]


Row = TypeVar("Row", "DifferingGrade", Decision)


class UndoResult(NamedTuple):
    """The result of an undo. :param undone: False if the judgment was changed or submitted since, and is kept."""

    token: str
    undone: bool
    query: str


class StoredDecision(NamedTuple):
    """A stored decision. :param label: the label of a language model that the annotator may see now."""

    label: ShownLabel | None


class SheetPlace(NamedTuple):
    """A document of a sheet: name of its query, and token."""

    query: str
    token: str


class SheetCounts(NamedTuple):
    """Counts of a sheet. :param timed: decisions whose time was measured. :param seconds: their mean time."""

    documents: int
    judged: int
    skipped: int
    undecided: int
    timed: int
    seconds: float | None

    @property
    def open(self) -> int:
        return self.documents - self.judged - self.undecided


class OfSheet(NamedTuple):
    """Progress of a sheet for one query."""

    query: str
    query_text: str | None
    documents: int
    judged: int
    skipped: int
    submitted: int
    undecided: int

    @property
    def open(self) -> int:
        return self.documents - self.judged - self.undecided


class DifferingGrade(NamedTuple):
    """A grade that differs from another annotator's. :param apart: highest minus lowest grade of the document.

    :param final, final_by: grade and name of the adjudicator; None if the disagreement is open.
    :param review: review status: open, in review or settled. :param reviewer: who set it; None if nobody has.
    """

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
    final: int | None
    final_by: str | None
    review: str
    reviewer: str | None
    reviewed: datetime | None


class PastDecision(NamedTuple):
    """A decision on a document. :param current: stored now; else it was replaced. :param final: of an adjudicator.

    :param review: the review status that was set; None for a decision.
    """

    query: str
    docno: str
    annotator: str
    changed: datetime
    rel: int | None
    undecided: bool
    note: str | None
    final: bool
    current: bool
    review: str | None


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


def begin(conn: psycopg.Connection, pool: str, annotator: str) -> dict[int, str]:
    """Check that the annotator can judge the pool and that this role can store judgments. Return the pool's grades.

    :raises UnknownObject: the pool does not exist. :raises BadArgument: it is not shared with the annotator.
    :raises StateError: the role can only read.
    """
    grades = AssessorSheet(conn, pool, annotator).grades()
    counts(conn, pool, annotator)
    [may] = conn.execute(
        "SELECT CASE WHEN stc.sees_all_rows() THEN has_table_privilege('stc_all.qrels_assessments', 'INSERT')"
        "   AND has_table_privilege('stc_all.qrels_assessments', 'UPDATE')"
        "   AND has_any_column_privilege('stc_all.qrels_pools', 'UPDATE') AND NOT pg_is_in_recovery() ELSE false END"
    ).fetchone() or (False,)
    if not may:
        raise StateError(
            later("this page is connected with a read-only role, so judgments cannot be stored"),
            hint=later("Ask its administrator to start 'stc serve page' with a role that can write."),
            sqlstate="IR410",
        )
    return grades


def progress(conn: psycopg.Connection, pool: str, annotator: str, queries: SetExpression = ALL) -> list[OfSheet]:
    """Return the queries of a sheet, or of a set, in the order of the sheet."""
    return records(conn, OfSheet, "SELECT * FROM stc.sheet_queries(%s, %s, %s)", [pool, annotator, queries])


def one_of(conn: psycopg.Connection, query: str | None, queries: str) -> str | None:
    """Return the query if the set has it, else None. :raises UnknownObject: the set names no query."""
    return query if query in members(conn, queries) else None


def next_token(
    conn: psycopg.Connection, pool: str, annotator: str, query: str | None, passed: list[str], *, queries: str = ALL
) -> str | None:
    """Return the token of the next document to judge, or None.

    :param passed: tokens reserved by other pages. :param queries: a set of queries.
    :raises UnknownObject: the set names no query of the pool.
    """
    row = conn.execute("SELECT stc.open_to_assess(%s, %s, %s, %s, %s)", [pool, annotator, query, passed, queries]).fetchone()
    return row[0] if row else None


def following(
    conn: psycopg.Connection,
    pool: str,
    annotator: str,
    query: str | None,
    passed: Sequence[str],
    *,
    queries: str = ALL,
    near: str | None = None,
    most: int = 1,
) -> list[SheetPlace]:
    """Return the next documents to judge: those without a decision in the order of the sheet, then skipped ones.

    :param passed: tokens to omit. :param queries: a set of queries. :param near: a query whose documents come first.
    :raises UnknownObject: the set names no query of the pool.
    """
    return records(
        conn,
        SheetPlace,
        "SELECT query_name AS query, token"
        "  FROM stc.open_on_sheet(%(pool)s, %(annotator)s, %(query)s, %(passed)s, %(queries)s, %(most)s, %(near)s)",
        {
            "pool": pool,
            "annotator": annotator,
            "query": query,
            "passed": list(passed),
            "queries": queries,
            "most": most,
            "near": near,
        },
    )


def papers(
    conn: psycopg.Connection, pool: str, annotator: str, tokens: Sequence[str], query: str | None = None
) -> list[BlindDocument]:
    """Return documents of a sheet, blind, in the order of the sheet. :param query: of all of them; only it is then read."""
    shown = records(
        conn,
        BlindDocument,
        "SELECT token, topic, topic_text, article_title, article_origin, article, query, query_text, docno, title, abstract,"
        "       rel, note, state, changed, metadata, number, of"
        "  FROM (SELECT s.*, row_number() OVER (PARTITION BY s.query ORDER BY s.place) AS number,"
        "               count(*) OVER (PARTITION BY s.query) AS of FROM stc.pool_sheet(%s, %s, %s) s) s"
        " WHERE token = ANY (%s) ORDER BY place",
        [pool, annotator, query, list(tokens)],
    )
    sheet = AssessorSheet(conn, pool, annotator)
    words = {
        query: sheet.asked_for(query, " ".join(filter(None, (text for row in rows for text in (row.title, row.abstract)))))
        for query, rows in (
            (query, [row for row in shown if row.query_text == query]) for query in {row.query_text for row in shown}
        )
    }
    labels = labels_of(conn, pool, annotator, tokens, query)
    return [replace(row, words=frozenset(words[row.query_text]), label=labels.get(row.token)) for row in shown]


def paper(conn: psycopg.Connection, pool: str, annotator: str, token: str, query: str | None = None) -> BlindDocument:
    """Return one document of a sheet, blind. :param query: of the document; only it is then read.

    :raises UnknownObject: the document is not on the sheet.
    """
    documents = papers(conn, pool, annotator, [token], query)
    if not documents:
        raise UnknownObject(
            later("{token} is not on the sheet of {annotator}", token=token, annotator=annotator),
            hint=later("Reload the page and start again."),
        )
    return documents[0]


def ahead(
    conn: psycopg.Connection,
    pool: str,
    annotator: str,
    query: str | None,
    passed: Sequence[str],
    *,
    queries: str = ALL,
    near: str | None = None,
    most: int = AHEAD,
) -> list[BlindDocument]:
    """Return the next documents to judge, so that a page without a connection can go on.

    :param passed: tokens to omit. :param queries: a set of queries. :param near: a query whose documents come first.
    """
    places = following(conn, pool, annotator, query, passed, queries=queries, near=near, most=most)
    return [
        document
        for name, tokens in groupby(places, key=lambda place: place.query)
        for document in papers(conn, pool, annotator, [place.token for place in tokens], name)
    ]


def before(conn: psycopg.Connection, pool: str, annotator: str, token: str, *, again: bool) -> str | None:
    """Return the token of the previous decision, or None. :param again: the reader went back to the document of the token."""
    place = place_before(conn, pool, annotator, token, again=again)
    return place.token if place else None


def place_before(
    conn: psycopg.Connection, pool: str, annotator: str, token: str, *, again: bool, query: str | None = None
) -> SheetPlace | None:
    """Return the document of the previous decision, or None. :param query: of the token. :param again: as in :func:`before`."""
    row = conn.execute("SELECT * FROM stc.decided_before(%s, %s, %s, %s, %s)", [pool, annotator, token, again, query]).fetchone()
    return SheetPlace(*row) if row else None


def counts(conn: psycopg.Connection, pool: str, annotator: str, queries: str = ALL, *, documents: int | None = None) -> SheetCounts:
    """Return the counts of a sheet, of all queries or of a set. :param documents: their number, if it is known."""
    row = conn.execute("SELECT * FROM stc.sheet_counts(%s, %s, %s, %s)", [pool, annotator, queries, documents]).fetchone()
    return SheetCounts(*row or (0, 0, 0, 0, 0, None))


def decide(conn: psycopg.Connection, sent: SentDecision) -> BlindDocument | None:
    """As :func:`store_decision`. Return the document in its new state, or None if nothing is stored."""
    stored = store_decision(conn, sent)
    return paper(conn, sent.pool, sent.annotator, sent.token, sent.query) if stored else None


def store_decision(conn: psycopg.Connection, sent: SentDecision) -> StoredDecision | None:
    """Store a decision, unless the sheet has changed since the page showed the document. Sending it again changes nothing.

    :returns: None if the sheet has changed or the decision was undone, and nothing is stored.
    :raises BadArgument: the grade is not in the scale, or the judgment was submitted.
    """
    row = conn.execute(
        "SELECT stc.assess_seen(%s, %s, %s, %s, %s, %s, %s, %s, %s, labels => true, invited => %s, of_query => %s)",
        [
            sent.pool,
            sent.annotator,
            sent.token,
            sent.rel,
            sent.note,
            sent.seen,
            sent.undecided,
            sent.seconds,
            sent.id,
            sent.invited,
            sent.query,
        ],
    ).fetchone()
    if not row or not row[0]:
        return None
    return StoredDecision(labels_of(conn, sent.pool, sent.annotator, [sent.token], sent.query).get(sent.token))


def undo(conn: psycopg.Connection, pool: str, annotator: str, decision: str, *, invited: bool = False) -> UndoResult | None:
    """Undo a decision by its id. Return None if this login has stored no decision with it.

    :param invited: the annotator has an invitation and no login.
    """
    row = conn.execute("SELECT * FROM stc.undo_decision(%s, %s, %s, %s)", [pool, annotator, decision, invited]).fetchone()
    return None if row is None else UndoResult(*row)


def was_undone(conn: psycopg.Connection, pool: str, annotator: str, decision: str) -> bool:
    """Return True if a decision was stored with this id and undone."""
    row = conn.execute(
        "SELECT d.undone IS NOT NULL FROM stc_all.qrels_decisions d"
        " WHERE d.pool = stc.pool_key(%s) AND d.annotator = %s AND d.decision = %s",
        [pool, annotator, decision],
    ).fetchone()
    return row == (True,)


def sheet_page(
    conn: psycopg.Connection,
    pool: str,
    annotator: str,
    *,
    place: SheetPlace | None = None,
    query: str | None = None,
    queries: str = ALL,
    near: str | None = None,
    passed: Sequence[str] = (),
    have: Sequence[str] = (),
    most: int = 0,
    documents: int | None = None,
) -> SheetPage:
    """Return a document of a sheet, by default the next one, with the counts of the sheet.

    :param place: the document to show. :param query: the only query to judge. :param queries: the set of queries to judge.
    :param near: a query whose documents come first. :param passed: tokens that other pages show.
    :param have: tokens of documents that the page has already. :param most: number of further documents to return.
    :param documents: number of documents of the sheet, if it is known.
    :raises UnknownObject: the document is not on the sheet.
    """
    if place is None:
        places = following(conn, pool, annotator, query, passed, queries=queries, near=near)
        place = places[0] if places else None
    shown = None if place is None else paper(conn, pool, annotator, place.token, place.query)
    further: Sequence[BlindDocument] = ()
    if most > 0 and place is not None:
        omitted = [*passed, *have, place.token]
        further = ahead(conn, pool, annotator, query, omitted, queries=queries, near=place.query, most=most)
    grades = AssessorSheet(conn, pool, annotator).grades()
    return SheetPage(grades=grades, paper=shown, counts=counts(conn, pool, annotator, queries, documents=documents), ahead=further)


def editions(conn: psycopg.Connection) -> list[str]:
    """Return the names of the editions that the caller may see."""
    rows = conn.execute("SELECT edition FROM qrels_editions ORDER BY edition").fetchall()
    return [edition for (edition,) in rows]


def mine(conn: psycopg.Connection, pool: str, annotator: str) -> dict[tuple[str, str], tuple[str, int | None]]:
    """Return token and own grade of each document on a sheet, by (query, docno)."""
    rows = conn.execute("SELECT query, docno, token, rel FROM stc.pool_sheet(%s, %s)", [pool, annotator]).fetchall()
    return {(query, docno): (token, rel) for query, docno, token, rel in rows}


def disagreements(
    conn: psycopg.Connection,
    pool: str,
    query: str | None = None,
    queries: str = ALL,
    *,
    judged_by: str | None = None,
    review: ReviewState | None = None,
) -> list[DifferingGrade]:
    """Return the grades that differ between annotators, by document.

    :param query: Only this query; None for all of the set.
    :param judged_by: Leave out documents that this annotator has not judged.
    :param review: Only documents with this review status, also without different grades.
    """
    rows = records(
        conn,
        DifferingGrade,
        "SELECT * FROM pool_disagreements(%(pool)s, %(query)s, %(queries)s, %(review)s::text IS NOT NULL)"
        " WHERE %(review)s::text IS NULL OR review = %(review)s",
        {"pool": pool, "query": query, "queries": queries, "review": review},
    )
    return _judged_by(conn, pool, judged_by, rows)


def history(conn: psycopg.Connection, pool: str, documents: Sequence[tuple[str, str]]) -> list[PastDecision]:
    """Return the decisions on documents over time. :param documents: query and docno of each."""
    return records(
        conn,
        PastDecision,
        "SELECT * FROM stc.dispute_history(%s, %s, %s)",
        [pool, [query for query, _ in documents], [docno for _, docno in documents]],
    )


def abstracts(conn: psycopg.Connection, docnos: Sequence[str]) -> dict[str, str | None]:
    """Return the abstracts of documents by docno."""
    rows = conn.execute(
        "SELECT d.docno, x.abstract FROM dblp d LEFT JOIN dblp_text x ON x.id = d.id WHERE d.docno = ANY (%s)",
        [list(docnos)],
    ).fetchall()
    return dict(rows)


def pool_decisions(conn: psycopg.Connection, pool: str, judged_by: str | None = None) -> list[Decision]:
    """Return all decisions of a pool.

    :param judged_by: Leave out documents that this annotator has not judged.
    """
    return _judged_by(conn, pool, judged_by, decisions(conn, pool))


def _judged_by(conn: psycopg.Connection, pool: str, annotator: str | None, rows: list[Row]) -> list[Row]:
    """Return the rows of documents that the annotator has judged; all if the annotator is None."""
    if annotator is None:
        return rows
    own = mine(conn, pool, annotator)
    return [row for row in rows if own.get((row.query, row.docno), ("", None))[1] is not None]


def agreement(conn: psycopg.Connection, pool: str, query: str | None, queries: str = ALL) -> tuple[list[SheetPair], PoolAlpha]:
    """Return the agreement of each pair of annotators, and of all."""
    pairs = records(conn, SheetPair, "SELECT * FROM stc.pool_agreement(%s, %s, %s)", [pool, query, queries])
    return pairs, alpha(conn, pool, query, queries)


def alpha(conn: psycopg.Connection, pool: str, query: str | None = None, queries: str = ALL) -> PoolAlpha:
    """Return the agreement of all annotators, for a query, a set of queries, or all."""
    row = conn.execute("SELECT * FROM stc.pool_alpha(%s, %s, %s)", [pool, query, queries]).fetchone()
    return PoolAlpha(*row) if row else PoolAlpha(0, 0, 0, None, None)


def judging_session(conn: psycopg.Connection, pool: str, annotator: str, query: str | None, queries: str = ALL) -> JudgingSession:
    """Begin a sheet: check it, and return its scale and guidelines. A query that is not in the set is not kept."""
    grades = begin(conn, pool, annotator)
    if queries != ALL:
        query = one_of(conn, query, queries)
    guidelines = pool_guidelines(conn, pool)
    return JudgingSession(pool=pool, annotator=annotator, query=query, grades=grades, guidelines=guidelines, queries=queries)


def shown_pair(
    conn: psycopg.Connection,
    pool: str,
    annotator: str,
    query: str | None,
    passed: Sequence[str],
    queries: str = ALL,
    *,
    near: str | None = None,
) -> ShownPair | None:
    """Return the next pair with its texts; None if nothing is left.

    :param passed: queries to skip. :param queries: a set of queries. :param near: a query that comes first.
    """
    pair = next_pair(conn, pool, annotator, query=query, passed=passed, queries=queries, near=near)
    if pair is None:
        return None
    both = papers(conn, pool, annotator, [pair.left_token, pair.right_token], pair.query)
    documents = {document.token: document for document in both}
    return ShownPair(pair=pair, left=documents[pair.left_token], right=documents[pair.right_token])
