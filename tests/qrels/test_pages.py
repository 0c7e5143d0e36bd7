"""Functions for judging in the page: next document without a lock, no overwriting of unseen decisions, progress, disagreements."""

from __future__ import annotations

import krippendorff
import numpy as np
import psycopg
import pytest
from sklearn.metrics import cohen_kappa_score

from stcollection.errors import BadArgument, UnknownObject, translate
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.organise import assessors
from stcollection.qrels.pools import make_pool, pool_queries
from tests.qrels.pooled import put_documents, put_queries, put_run

DOCS = [f"d{number}" for number in range(8)]


@pytest.fixture
def pool(conn: psycopg.Connection) -> None:
    put_documents(conn, {doc: (f"Title {doc}", "Text.") for doc in DOCS})
    put_queries(conn, {"q1": "one", "q2": "two"})
    put_run(conn, "r", {"q1": DOCS[:5], "q2": DOCS[5:]})
    make_pool(conn, "p")


def one(conn: psycopg.Connection, statement: str, *values: object) -> object:
    with translate():
        row = conn.execute(statement, values).fetchone()
    assert row is not None
    return row[0]


def tokens(conn: psycopg.Connection, annotator: str = "anna") -> list[str]:
    return [row[0] for row in conn.execute("SELECT token FROM stc.pool_sheet('p', %s)", [annotator])]


def following(conn: psycopg.Connection, query: str | None = None, passed: list[str] | None = None) -> object:
    return one(conn, "SELECT stc.open_to_assess('p', 'anna', %s, %s)", query, passed or [])


def test_next_is_what_the_terminal_would_give(conn: psycopg.Connection, pool: None, dsn: str) -> None:
    first, second, *_ = tokens(conn)
    assert following(conn) == first
    assert following(conn, passed=[first]) == second
    with psycopg.connect(dsn, autocommit=True) as terminal:
        held = AssessorSheet(terminal, "p", "anna").next()
        assert held is not None
        assert held.token == first
        assert following(conn) == second
        assert one(conn, "SELECT stc.open_to_assess('p', 'ben')") == tokens(conn, "ben")[0]  # another assessor's sheet
        AssessorSheet(terminal, "p", "anna").release(held.token)
    assert following(conn) == first


def test_next_of_a_query_and_what_was_skipped_last(conn: psycopg.Connection, pool: None) -> None:
    of_q2 = [row[0] for row in conn.execute("SELECT token FROM stc.pool_sheet('p', 'anna') WHERE query = 'q2'")]
    sheet = AssessorSheet(conn, "p", "anna")
    sheet.decide(of_q2[0], None)
    assert following(conn, "q2") == of_q2[1]
    for token in of_q2[1:]:
        sheet.decide(token, 1)
    assert following(conn, "q2") == of_q2[0]
    sheet.decide(of_q2[0], 0)
    assert following(conn, "q2") is None
    with pytest.raises(UnknownObject, match="no query 'q9' in the pool 'p'"):
        following(conn, "q9")


def test_next_and_progress_of_a_set(conn: psycopg.Connection, pool: None) -> None:
    of = {
        query: [row[0] for row in conn.execute("SELECT token FROM stc.pool_sheet('p', 'anna') WHERE query = %s", [query])]
        for query in ("q1", "q2")
    }
    put_queries(conn, {"q3": "three"})  # not in the pool
    call = "SELECT stc.open_to_assess('p', 'anna', NULL, '{}', %s)"
    assert one(conn, call, "q*-q1") == of["q2"][0]
    assert one(conn, call, "all") == one(conn, call, "q1+q2") == tokens(conn)[0]
    sheet = AssessorSheet(conn, "p", "anna", queries="q2")
    for token in of["q2"]:
        found = sheet.next()
        assert found is not None
        assert found.token == token
        sheet.decide(token, 1)
    assert sheet.next() is None
    assert (sheet.progress().judged, sheet.progress().documents) == (3, 3)
    assert one(conn, call, "q2") is None
    AssessorSheet(conn, "p", "ben").decide(of["q2"][0], 1)
    of_set = "SELECT query, documents, judged FROM stc.sheet_queries('p', 'anna', %s)"
    assert conn.execute(of_set, ["q*-q1"]).fetchall() == [("q2", 3, 3)]
    assert [(one.query, one.judged) for one in pool_queries(conn, "p", queries="q1")] == [("q1", 0)]
    counted = {
        queries: [(a.annotator, a.documents, a.judged) for a in assessors(conn, "p", queries=queries)] for queries in ("q1", "q2")
    }
    assert counted == {"q1": [], "q2": [("anna", 3, 3), ("ben", 3, 1)]}
    alpha = "SELECT documents FROM stc.pool_alpha('p', query_set => %s)"
    assert (one(conn, alpha, "q1"), one(conn, alpha, "q2")) == (0, 1)


@pytest.mark.parametrize(
    ("queries", "message"),
    [("hard", "hard"), ("q3", "the pool 'p' has no query of the set 'q3'"), ("q1-q1", "the set 'q1-q1' contains no query")],
)
def test_a_set_that_names_nothing_is_an_error(conn: psycopg.Connection, pool: None, queries: str, message: str) -> None:
    put_queries(conn, {"q3": "three"})
    with pytest.raises(UnknownObject, match=message):
        one(conn, "SELECT stc.open_to_assess('p', 'anna', NULL, '{}', %s)", queries)
    with pytest.raises(UnknownObject, match=message):
        AssessorSheet(conn, "p", "anna", queries=queries).next()


def test_a_decision_overwrites_nothing_unseen(conn: psycopg.Connection, pool: None) -> None:
    token = tokens(conn)[0]
    decide = "SELECT stc.assess_seen('p', 'anna', %s, %s, NULL, %s)"
    assert one(conn, decide, token, 2, None) is True
    assert one(conn, decide, token, 0, None) is False  # shown before the first was made
    sheet = AssessorSheet(conn, "p", "anna")
    assert sheet.document(token).rel == 2
    seen = one(conn, "SELECT changed FROM stc.pool_sheet('p', 'anna') WHERE token = %s", token)
    assert one(conn, decide, token, 0, seen) is True
    assert sheet.document(token).rel == 0
    with pytest.raises(BadArgument, match="7 is not a grade"):
        one(conn, decide, tokens(conn)[1], 7, None)


def test_progress_by_query(conn: psycopg.Connection, pool: None) -> None:
    sheet = AssessorSheet(conn, "p", "anna")
    of_q1 = [row[0] for row in conn.execute("SELECT token FROM stc.pool_sheet('p', 'anna') WHERE query = 'q1'")]
    sheet.decide(of_q1[0], 1)
    sheet.decide(of_q1[1], None)
    rows = conn.execute(
        "SELECT query, documents, judged, skipped, submitted FROM stc.sheet_queries('p', 'anna') ORDER BY 1"
    ).fetchall()
    assert rows == [("q1", 5, 1, 1, 0), ("q2", 3, 0, 0, 0)]


def test_disagreement_and_agreement(conn: psycopg.Connection, pool: None) -> None:
    grades: dict[str, list[int | None]] = {
        "anna": [0, 1, 2, 2, 0, 1, 1, 0],
        "ben": [0, 1, 0, 2, 1, 1, 1, 0],
        "eve": [None, 1, 2, None, 0, 2, None, None],
    }
    for annotator, given in grades.items():
        for token, docno in conn.execute("SELECT token, docno FROM stc.pool_sheet('p', %s)", [annotator]).fetchall():
            grade = given[DOCS.index(docno)]
            if grade is not None:
                AssessorSheet(conn, "p", annotator).decide(token, grade)
    found = conn.execute("SELECT query, docno, apart, annotator, rel FROM pool_disagreements('p')").fetchall()
    assert [row for row in found if row[0] == "q2"] == [
        ("q2", "d5", 1, "anna", 1),
        ("q2", "d5", 1, "ben", 1),
        ("q2", "d5", 1, "eve", 2),
    ]
    assert [row[1] for row in found] == ["d2"] * 3 + ["d4"] * 3 + ["d5"] * 3  # largest difference first
    assert {row[0] for row in conn.execute("SELECT query FROM pool_disagreements('p', 'q1')")} == {"q1"}

    [(annotator, other, documents, same, kappa, linear), *_] = conn.execute("SELECT * FROM stc.pool_agreement('p')").fetchall()
    assert (annotator, other, documents, same) == ("anna", "ben", 8, pytest.approx(6 / 8))
    assert kappa == pytest.approx(cohen_kappa_score(grades["anna"], grades["ben"]))
    assert linear == pytest.approx(cohen_kappa_score(grades["anna"], grades["ben"], weights="linear"))

    matrix = np.array([[np.nan if grade is None else grade for grade in given] for given in grades.values()], dtype=float)
    [(annotators, documents, judgments, nominal, ordinal)] = conn.execute("SELECT * FROM stc.pool_alpha('p')").fetchall()
    assert (annotators, documents, judgments) == (3, 8, 20)
    assert nominal == pytest.approx(krippendorff.alpha(matrix, level_of_measurement="nominal"))
    assert ordinal == pytest.approx(krippendorff.alpha(matrix, level_of_measurement="ordinal"))


def test_an_unknown_pool_is_named(conn: psycopg.Connection, pool: None) -> None:
    for call in ("pool_disagreements('P')", "stc.pool_agreement('P')", "stc.pool_alpha('P')", "stc.sheet_queries('P', 'anna')"):
        with pytest.raises(UnknownObject, match="no pool 'P'"):
            one(conn, f"SELECT count(*) FROM {call}")
