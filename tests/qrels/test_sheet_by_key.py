"""A document of a sheet is found by its query and token: the same sheet as when all of it is read, for shared pools too."""

from __future__ import annotations

from decimal import Decimal

import psycopg
import pytest

from stcollection.errors import BadArgument, UnknownObject, translate
from stcollection.qrels import judging as work
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.judging import SentDecision, SheetPlace
from stcollection.qrels.organise import adjudicate
from stcollection.qrels.pools import make_pool, share_pool
from tests.qrels.pooled import put_documents, put_queries, put_run

DOCS = [f"d{number}" for number in range(23)]
PEOPLE = ["anna", "ben", "eve"]
Sheet = list[tuple[str, str]]


@pytest.fixture(params=["0", "0.25", "1", "not shared"])
def pool(conn: psycopg.Connection, request: pytest.FixtureRequest) -> str:
    put_documents(conn, {doc: (f"Title {doc}", f"Text of {doc}.") for doc in DOCS})
    put_queries(conn, {"q1": "one", "q2": "two", "q3": "three"})
    put_run(conn, "r", {"q1": DOCS[:10], "q2": DOCS[10:20], "q3": DOCS[20:]})
    make_pool(conn, "p")
    if request.param != "not shared":
        share_pool(conn, "p", annotators=PEOPLE, overlap=Decimal(request.param))
    return "p"


def sheet(conn: psycopg.Connection, annotator: str) -> Sheet:
    """The whole sheet in its order: queries and tokens."""
    return conn.execute("SELECT query, token FROM stc.pool_sheet('p', %s) ORDER BY place", [annotator]).fetchall()


def test_a_query_has_the_same_part_of_the_sheet(conn: psycopg.Connection, pool: str) -> None:
    for annotator in PEOPLE:
        whole = sheet(conn, annotator)
        assert whole
        for query in ("q1", "q2", "q3"):
            rows = conn.execute("SELECT place, query, token FROM stc.pool_sheet('p', %s, %s)", [annotator, query]).fetchall()
            assert [(of, token) for _, of, token in rows] == [place for place in whole if place[0] == query]
            assert [place for place, *_ in rows] == list(range(1, len(rows) + 1))
        numbers = conn.execute("SELECT count(*) FROM stc.share_documents('p', %s)", [annotator]).fetchone()
        assert numbers == (len(whole),)
        for query, token in whole:
            found = conn.execute("SELECT doc FROM stc.sheet_document('p', %s, %s)", [annotator, token]).fetchall()
            assert (
                found == conn.execute("SELECT doc FROM stc.sheet_document('p', %s, %s, %s)", [annotator, token, query]).fetchall()
            )
            paper = work.paper(conn, "p", annotator, token, query)
            assert paper == work.paper(conn, "p", annotator, token)
    assert conn.execute("SELECT doc FROM stc.sheet_document('p', 'anna', %s, 'q9')", [sheet(conn, "anna")[0][1]]).fetchall() == []
    with pytest.raises(UnknownObject, match="is not on the sheet of anna"):
        work.paper(conn, "p", "anna", "k0", "q1")


def test_the_next_documents_in_the_order_of_the_sheet(conn: psycopg.Connection, pool: str) -> None:
    whole = sheet(conn, "anna")
    assert work.following(conn, "p", "anna", None, [], most=100) == whole
    assert work.following(conn, "p", "anna", None, [whole[0][1]], most=2) == whole[1:3]
    last = whole[-1][0]
    near = work.following(conn, "p", "anna", None, [], near=last, most=100)
    assert near == [place for place in whole if place[0] == last] + [place for place in whole if place[0] != last]
    assert work.following(conn, "p", "anna", last, [], most=100) == [place for place in whole if place[0] == last]
    decided = AssessorSheet(conn, "p", "anna")
    decided.decide(whole[1][1], None)  # skipped: it comes back last
    decided.decide(whole[0][1], None)
    decided.decide(whole[2][1], 1)
    rest = [*whole[3:], whole[1], whole[0]]
    assert work.following(conn, "p", "anna", None, [], most=100) == rest
    assert work.following(conn, "p", "anna", None, [], near=whole[0][0], most=100)[-2:] == rest[-2:]
    assert work.next_token(conn, "p", "anna", None, []) == rest[0][1]
    with pytest.raises(UnknownObject, match="no query 'q9' in the pool 'p'"), translate():
        work.following(conn, "p", "anna", "q9", [])


def test_counts_and_the_way_back(conn: psycopg.Connection, pool: str) -> None:
    whole = [SheetPlace(*place) for place in sheet(conn, "anna")]
    assert work.place_before(conn, "p", "anna", "", again=False) is None
    for place, rel in zip(whole, (1, None, 0), strict=False):
        AssessorSheet(conn, "p", "anna").decide(place.token, rel, undecided=rel is None, seconds=30)
    counts = work.counts(conn, "p", "anna")
    assert counts == (len(whole), 2, 0, 1, 3, 30.0)
    assert counts == work.counts(conn, "p", "anna", documents=len(whole))
    assert counts.open == len(whole) - 3
    assert sum(row.documents for row in work.progress(conn, "p", "anna")) == len(whole)
    assert work.place_before(conn, "p", "anna", whole[3].token, again=False, query=whole[3].query) == whole[2]
    assert work.place_before(conn, "p", "anna", whole[2].token, again=True, query=whole[2].query) == whole[1]
    assert work.place_before(conn, "p", "anna", whole[0].token, again=True) is None


def test_a_decision_by_key(conn: psycopg.Connection, pool: str) -> None:
    (query, token), (other, _) = sheet(conn, "anna")[0], sheet(conn, "anna")[-1]
    sent = SentDecision(
        id="a" * 10, pool="p", annotator="anna", token=token, rel=1, undecided=False, note=None, seconds=1, seen=None, query=query
    )
    assert work.store_decision(conn, sent) == (None,)
    assert work.store_decision(conn, sent) == (None,)  # sent again
    paper = work.paper(conn, "p", "anna", token, query)
    assert (paper.rel, paper.state) == (1, "draft")
    assert work.undo(conn, "p", "anna", "a" * 10) == (token, True, query)
    assert work.paper(conn, "p", "anna", token, query).state == "open"
    assert other != query
    for wrong in (other, "q9"):
        with pytest.raises(BadArgument, match="is not on the sheet of anna"), translate():
            work.store_decision(conn, SentDecision(**{**sent.__dict__, "id": "b" * 10, "query": wrong}))


def test_the_history_of_a_document(conn: psycopg.Connection) -> None:
    put_documents(conn, {"d1": ("Title", "Text.")})
    put_queries(conn, {"q1": "one"})
    put_run(conn, "r", {"q1": ["d1"]})
    make_pool(conn, "p")
    for annotator, grades in (("anna", (0, 1, 2)), ("ben", (0,))):
        for number, rel in enumerate(grades):
            [(query, token)] = sheet(conn, annotator)
            seen = work.paper(conn, "p", annotator, token, query).changed
            sent = SentDecision(
                id=f"{annotator}0000{number}",
                pool="p",
                annotator=annotator,
                token=token,
                rel=rel,
                undecided=False,
                note=f"note {rel}",
                seconds=1,
                seen=seen,
                query=query,
            )
            assert work.store_decision(conn, sent)
    work.undo(conn, "p", "anna", "anna00002")
    adjudicate(conn, "p", adjudicator="olga", query="q1", docno="d1", rel=1)
    past = [(one.annotator, one.rel, one.note, one.final, one.current) for one in work.history(conn, "p", [("q1", "d1")])]
    assert past == [
        ("anna", 0, "note 0", False, False),
        ("anna", 1, "note 1", False, True),
        ("ben", 0, "note 0", False, True),
        ("olga", 1, None, True, True),
    ]
    assert work.abstracts(conn, ["d1"]) == {"d1": "Text."}
