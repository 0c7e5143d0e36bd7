"""Review status of judged documents: separate from grades, kept over time, and a filter of disagreements."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.qrels import judging as work
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.organise import adjudicate, decisions
from stcollection.qrels.pools import drop_pool, make_pool
from stcollection.qrels.reviews import ReviewState, review, reviews
from tests.acceptance.conftest import runner
from tests.qrels.pooled import put_documents, put_queries, put_run

GRADES = {"anna": {"d1": 0, "d2": 1, "d3": 1}, "ben": {"d1": 2, "d2": 1}}


@pytest.fixture
def pool(conn: psycopg.Connection) -> str:
    """A pool in which two people judged d1 differently and d2 alike, one judged d3, and nobody d4."""
    put_documents(conn, {f"d{number}": (f"Title {number}", None) for number in range(1, 5)})
    put_queries(conn, {"q": "title"})
    put_run(conn, "r", {"q": ["d1", "d2", "d3", "d4"]})
    make_pool(conn, "p")
    for annotator, grades in GRADES.items():
        for docno, token in conn.execute("SELECT docno, token FROM stc.pool_sheet('p', %s)", [annotator]).fetchall():
            if docno in grades:
                AssessorSheet(conn, "p", annotator).decide(token, grades[docno])
    return "p"


def listed(conn: psycopg.Connection, state: ReviewState | None = None) -> dict[str, tuple[str, str | None]]:
    """Documents of the list of disagreements, with status and reviewer."""
    return {one.docno: (one.review, one.reviewer) for one in work.disagreements(conn, "p", review=state)}


def test_a_status_changes_no_grade_and_is_kept(conn: psycopg.Connection, pool: str) -> None:
    before = conn.execute("SELECT * FROM stc_all.qrels_assessments ORDER BY changed").fetchall()
    assert listed(conn) == listed(conn, "open") == {"d1": ("open", None)}
    assert review(conn, pool, "q", "d1", "in-review", reviewer="olga", note="ask the chair")
    assert not review(conn, pool, "q", "d1", "in-review", reviewer="olga")
    assert review(conn, pool, "q", "d3", "in-review", reviewer="olga")  # without different grades
    assert listed(conn) == {"d1": ("in-review", "olga")}
    assert listed(conn, "in-review") == {"d1": ("in-review", "olga"), "d3": ("in-review", "olga")}
    assert review(conn, pool, "q", "d1", "settled", reviewer="eve")
    assert listed(conn, "settled") == {"d1": ("settled", "eve")}
    assert listed(conn, "open") == {}
    assert [(one.docno, one.state, one.reviewer, one.note, one.current) for one in reviews(conn, pool)] == [
        ("d1", "in-review", "olga", "ask the chair", False),
        ("d1", "settled", "eve", None, True),
        ("d3", "in-review", "olga", None, True),
    ]
    assert [(one.annotator, one.review, one.current) for one in work.history(conn, pool, [("q", "d1")])] == [
        ("anna", None, True),
        ("ben", None, True),
        ("olga", "in-review", False),
        ("eve", "settled", True),
    ]
    assert {(one.docno, one.review, one.reviewer) for one in decisions(conn, pool)} == {
        ("d1", "settled", "eve"),
        ("d2", None, None),
        ("d3", "in-review", "olga"),
    }
    assert conn.execute("SELECT * FROM stc_all.qrels_assessments ORDER BY changed").fetchall() == before


def test_a_final_grade_settles_unless_somebody_marked_the_document(conn: psycopg.Connection, pool: str) -> None:
    adjudicate(conn, pool, adjudicator="chair", query="q", docno="d1", rel=1)
    assert listed(conn) == listed(conn, "settled") == {"d1": ("settled", None)}
    assert review(conn, pool, "q", "d1", "open", reviewer="olga")
    assert listed(conn, "open") == {"d1": ("open", "olga")}
    assert {one.final for one in work.disagreements(conn, pool)} == {1}
    drop_pool(conn, pool, drafts=True)
    assert conn.execute("SELECT count(*) FROM stc_all.qrels_reviews").fetchone() == (0,)


def test_wrong_input(conn: psycopg.Connection, pool: str) -> None:
    for docno, state, reviewer, words in (
        ("d1", "done", "olga", "'done' is not a review status"),
        ("d1", None, "olga", "is not a review status"),
        ("d1", "open", " ", "name of the reviewer is empty"),
        ("d1", "open", "a\nb", "reviewer"),
        ("d4", "open", "olga", "document d4 of query q has no grade in pool 'p'"),
        ("x", "open", "olga", "document x of query q has no grade"),
    ):
        with pytest.raises(BadArgument, match=words):
            review(conn, pool, "q", docno, state, reviewer=reviewer)  # type: ignore[arg-type]
    with pytest.raises(UnknownObject, match="no pool 'x'"):
        review(conn, "x", "q", "d1", "open", reviewer="olga")
    with pytest.raises(UnknownObject, match="no pool 'x'"):
        reviews(conn, "x")
    assert reviews(conn, pool) == []


@pytest.mark.usefixtures("dsn")
def test_the_commands(conn: psycopg.Connection, settings: Settings, pool: str) -> None:
    run = runner(settings)
    mark = ("pool", "review", pool, "q", "d1", "in-review", "--reviewer", "olga")
    assert run(*mark).stdout == "q d1: in-review\n"
    assert run(*mark).stdout == "q d1: in-review already\n"
    lines = run("show", "pool-reviews", pool, "--format", "csv").stdout.splitlines()
    assert lines[0] == "query,docno,state,reviewer,note,marked,current"
    assert lines[1].startswith("q,d1,in-review,olga,,")
    assert "in-review" in run("show", "pool-reviews", pool).stdout
