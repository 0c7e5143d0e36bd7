"""Assessment of a pool by many, and what its organiser sees: outcomes, undo, final grades, drift, guidelines."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.qrels.agreement import Bootstrap, agreement, alpha
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.derive import RULES, derive
from stcollection.qrels.guidelines import default_guidelines, pool_guidelines, set_guidelines
from stcollection.qrels.organise import adjudicate, assessors, drift
from stcollection.qrels.pools import PoolRules, make_pool, pools, share_pool
from stcollection.qrels.sheets import submit_pool
from stcollection.web.hands import Hands, Holder
from tests.acceptance.conftest import runner
from tests.qrels.conftest import says
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow

DOCS = [f"d{number:02}" for number in range(40)]
MANY = [f"a{number:02}" for number in range(30)]


@pytest.fixture
def pool(conn: psycopg.Connection) -> str:
    put_documents(conn, {doc: (f"Title {doc}", None) for doc in DOCS})
    put_queries(conn, {"q1": "one", "q2": "two"})
    put_run(conn, "r", {"q1": DOCS[:20], "q2": DOCS[20:]})
    make_pool(conn, "p", rules=PoolRules(depth=20))
    return "p"


def tokens(conn: psycopg.Connection, annotator: str) -> dict[str, str]:
    """Token of each docno on a sheet, in the order of the sheet."""
    return dict(conn.execute("SELECT docno, token FROM stc.pool_sheet('p', %s)", [annotator]).fetchall())


def states(conn: psycopg.Connection, annotator: str) -> dict[str, tuple[str, int | None]]:
    rows = conn.execute("SELECT token, state, rel FROM stc.pool_sheet('p', %s) WHERE state <> 'open'", [annotator]).fetchall()
    return {token: (state, rel) for token, state, rel in rows}


def test_cannot_decide_is_an_outcome_of_its_own(conn: psycopg.Connection, pool: str) -> None:
    sheet = AssessorSheet(conn, pool, "anna")
    first, second = list(tokens(conn, "anna").values())[:2]
    sheet.decide(first, None, undecided=True)
    sheet.decide(second, None)
    assert states(conn, "anna") == {first: ("undecided", None), second: ("skipped", None)}
    sheet.decide(first, None, "a note")  # a note or skipping does not change the outcome
    assert states(conn, "anna")[first] == ("undecided", None)
    seen = set()
    while (document := sheet.next()) is not None:
        seen.add(document.token)
        sheet.decide(document.token, 0)
        sheet.release(document.token)
    assert first not in seen
    assert second in seen
    progress = sheet.progress()
    assert (progress.judged, progress.undecided, progress.skipped) == (39, 1, 0)
    sheet.decide(first, 2)
    assert states(conn, "anna")[first] == ("draft", 2)
    sheet.decide(first, None, undecided=True)
    assert states(conn, "anna")[first] == ("undecided", None)
    with pytest.raises(BadArgument, match="cannot decide"):
        sheet.decide(first, 1, undecided=True)
    assert submit_pool(conn, pool, edition="e").judgments == 39


def test_a_decision_that_is_sent_twice_is_stored_once(conn: psycopg.Connection, pool: str) -> None:
    token = next(iter(tokens(conn, "anna").values()))
    send = "SELECT stc.assess_seen('p', 'anna', %s, %s, NULL, %s, false, %s, %s)"
    assert conn.execute(send, [token, 1, None, 12.5, "first000"]).fetchone() == (True,)
    row = conn.execute("SELECT rel, seconds, changed FROM stc_all.qrels_assessments").fetchone()
    assert row is not None
    assert row[:2] == (1, 12.5)
    assert conn.execute(send, [token, 1, None, 99, "first000"]).fetchone() == (True,)
    assert conn.execute("SELECT rel, seconds, changed FROM stc_all.qrels_assessments").fetchone() == row
    assert conn.execute(send, [token, 2, None, 1, "other000"]).fetchone() == (False,)  # it has not seen the first
    assert conn.execute(send, [token, 2, row[2], 5000, "other000"]).fetchone() == (True,)
    assert conn.execute("SELECT rel, seconds FROM stc_all.qrels_assessments").fetchone() == (2, 600)


def test_undo_restores_what_was_before(conn: psycopg.Connection, pool: str) -> None:
    sheet = AssessorSheet(conn, pool, "anna")
    token = next(iter(tokens(conn, "anna").values()))
    undo = "SELECT stc.restore_assessment('p', 'anna', %s, %s, %s, %s, %s, %s)"

    def changed() -> object:
        row = conn.execute("SELECT changed FROM stc_all.qrels_assessments").fetchone()
        return row and row[0]

    sheet.decide(token, 1, "a note")
    first = changed()
    sheet.decide(token, None, undecided=True)
    assert conn.execute(undo, [token, first, 0, None, False, None]).fetchone() == (False,)  # not the last decision
    assert conn.execute(undo, [token, changed(), 1, "a note", False, first]).fetchone() == (True,)
    assert states(conn, "anna") == {token: ("draft", 1)}
    submit_pool(conn, pool, edition="e")
    assert conn.execute(undo, [token, first, None, None, False, None]).fetchone() == (False,)
    other = list(tokens(conn, "anna").values())[1]
    sheet.decide(other, 2)
    stored = conn.execute("SELECT max(changed) FROM stc_all.qrels_assessments").fetchone()
    assert stored is not None
    assert conn.execute(undo, [other, stored[0], None, None, False, None]).fetchone() == (True,)
    assert states(conn, "anna") == {token: ("submitted", 1)}


def test_the_final_grade_of_a_disagreement(conn: psycopg.Connection, pool: str) -> None:
    share_pool(conn, pool, annotators=["anna", "ben"], overlap=Decimal(1))
    for annotator, grade in (("anna", 0), ("ben", 2)):
        AssessorSheet(conn, pool, annotator).decide(tokens(conn, annotator)["d00"], grade)
        AssessorSheet(conn, pool, annotator).decide(tokens(conn, annotator)["d01"], 1)
    for name, docno, rel, words in (
        ("", "d00", 1, "name of the adjudicator"),
        ("eve", "d01", 1, "no different grades"),
        ("eve", "d09", 1, "no different grades"),
        ("eve", "d00", 7, "not a grade"),
        ("ben", "d00", 1, "as an annotator"),
    ):
        with pytest.raises(BadArgument, match=words):
            adjudicate(conn, pool, adjudicator=name, query="q1", docno=docno, rel=rel)
    with pytest.raises(UnknownObject):
        adjudicate(conn, "nothing", adjudicator="eve", query="q1", docno="d00", rel=1)
    before = conn.execute("SELECT * FROM stc.pool_alpha('p')").fetchone()
    adjudicate(conn, pool, adjudicator="eve", query="q1", docno="d00", rel=2)
    adjudicate(conn, pool, adjudicator="eve'; --", query="q1", docno="d00", rel=1, note="<b>")
    assert conn.execute("SELECT * FROM stc.pool_alpha('p')").fetchone() == before
    rows = conn.execute("SELECT annotator, rel, final, final_by FROM pool_disagreements('p')").fetchall()
    assert rows == [("anna", 0, 1, "eve'; --"), ("ben", 2, 1, "eve'; --")]
    of_set = "SELECT annotator, rel, final, final_by FROM pool_disagreements('p', query_set => %s)"
    assert conn.execute(of_set, ["q*"]).fetchall() == rows
    put_queries(conn, {"q8": "not judged"})
    assert conn.execute(of_set, ["q*-q1"]).fetchall() == []
    kappa = "SELECT documents FROM stc.pool_agreement('p', query_set => %s)"
    assert conn.execute(kappa, ["all"]).fetchall() == [(2,)]
    assert conn.execute(kappa, ["q8"]).fetchall() == []
    judged = conn.execute("SELECT rel FROM stc.pool_judged('p') WHERE rel IS NOT NULL ORDER BY rel").fetchall()
    assert judged == [(1,), (1,)]
    assert [one.annotator for one in assessors(conn, pool)] == ["anna", "ben"]
    assert submit_pool(conn, pool, edition="e").judgments == 5
    assert says(conn, "e") == {("q1", "d00"): 1, ("q1", "d01"): 1}
    for rule in RULES:
        derive(conn, rule, ["e"], rule=rule)
        assert says(conn, rule) == {("q1", "d00"): 1, ("q1", "d01"): 1}, rule
    with pytest.raises(BadArgument, match="was submitted"):
        adjudicate(conn, pool, adjudicator="eve", query="q1", docno="d00", rel=2)


def test_progress_and_drift_by_assessor(conn: psycopg.Connection, pool: str) -> None:
    share_pool(conn, pool, annotators=["anna", "ben"])
    mine = tokens(conn, "anna")
    sheet = AssessorSheet(conn, pool, "anna")
    for number, docno in enumerate(list(mine)[:6]):
        sheet.decide(mine[docno], 1 if number < 3 else 2, "why" if number == 0 else None, seconds=10.0 * number)
    sheet.decide(list(mine.values())[6], None, undecided=True)
    sheet.decide(list(mine.values())[7], None)
    anna, ben = assessors(conn, pool)
    assert (anna.documents, anna.judged, anna.undecided, anna.skipped, anna.notes, anna.remaining) == (20, 6, 1, 1, 1, 13)
    assert (anna.median_seconds, anna.mean_seconds) == (25, 25)
    assert (ben.documents, ben.judged, ben.last_decision) == (20, 0, None)
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('control')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator)"
        " SELECT e.id, a.query, a.doc, 1, 'human', 'known' FROM qrels_editions e, stc_all.qrels_assessments a WHERE"
        " a.rel IS NOT NULL"
    )
    [row] = drift(conn, pool, edition="control")
    assert tuple(row) == ("anna", 6, 0.5, 1, 0, 0.5, 0, 1)
    with pytest.raises(UnknownObject):
        drift(conn, pool, edition="nothing")


def test_guidelines(conn: psycopg.Connection, pool: str, settings: Settings, tmp_path: Path) -> None:
    assert pool_guidelines(conn, pool) is None
    set_guidelines(conn, pool, "  Read <b>this</b>.\n")
    assert pool_guidelines(conn, pool) == "Read <b>this</b>."
    set_guidelines(conn, pool, " ")
    assert pool_guidelines(conn, pool) is None
    with pytest.raises(BadArgument, match="20,001 characters"):
        set_guidelines(conn, pool, "x" * 20001)
    for scale in ({0: "no", 1: "yes"}, {0: "a", 1: "b", 2: "c"}):
        text = default_guidelines(scale)
        assert all(f"{grade}: {meaning}" in text for grade, meaning in scale.items())
    file = tmp_path / "guide.md"
    file.write_text("# Guide\n", encoding="utf-8")
    stc = runner(settings)
    assert stc("qrels", "pool", "guide", "p", file).returncode == 0
    assert pool_guidelines(conn, pool) == "# Guide"
    assert stc("qrels", "pool", "make", "other", "--guidelines", file).returncode == 0
    assert pool_guidelines(conn, "other") == "# Guide"


def test_an_edition_of_simulated_grades_is_simulated(conn: psycopg.Connection, pool: str) -> None:
    conn.execute("UPDATE stc_all.qrels_pools SET simulated = true")
    AssessorSheet(conn, pool, "anna").decide(next(iter(tokens(conn, "anna").values())), 1)
    submit_pool(conn, pool, edition="e")
    assert conn.execute("SELECT simulated FROM qrels_editions WHERE edition = 'e'").fetchone() == (True,)
    assert [one.simulated for one in pools(conn)] == [True]


def test_thirty_assessors_who_share_a_pool_get_different_documents(conn: psycopg.Connection, settings: Settings, pool: str) -> None:
    share_pool(conn, pool, annotators=MANY)
    start = threading.Barrier(len(MANY))

    def judge(annotator: str) -> list[str]:
        with open_session(conninfo(settings), autocommit=True) as own:
            sheet, done = AssessorSheet(own, pool, annotator), []
            start.wait()
            while (document := sheet.next()) is not None:
                sheet.decide(document.token, 1)
                sheet.release(document.token)
                done.append(document.docno)
            return done

    with ThreadPoolExecutor(len(MANY)) as workers:
        judged = [docno for done in workers.map(judge, MANY) for docno in done]
    assert sorted(judged) == DOCS


def test_thirty_windows_of_one_assessor_get_different_documents(conn: psycopg.Connection, pool: str) -> None:
    hands, shown = Hands(), []
    for number in range(30):
        me = Holder(f"w{number}", f"s{number}")
        row = conn.execute("SELECT stc.open_to_assess('p', 'anna', NULL, %s)", [hands.elsewhere(pool, "anna", me)]).fetchone()
        assert row is not None
        assert hands.take(pool, "anna", row[0], me)
        shown.append(row[0])
    assert len(set(shown)) == 30


def test_agreement_before_grades_are_submitted(conn: psycopg.Connection, pool: str) -> None:
    given = {"anna": (0, 1, 2, 2), "ben": (0, 1, 1, 2), "x/y": (0, 1, 2)}
    for annotator, grades in given.items():
        known = tokens(conn, annotator)
        for docno, grade in zip(DOCS, grades, strict=False):
            AssessorSheet(conn, pool, annotator).decide(known[docno], grade)
    adjudicate(conn, pool, adjudicator="eve", query="q1", docno="d02", rel=1)
    drafts = agreement(conn, "pool:p")
    assert [(one.reference, one.other, one.pairs) for one in drafts] == [
        ("pool:p/anna", "pool:p/ben", 4),
        ("pool:p/anna", "pool:p/x/y", 3),
        ("pool:p/ben", "pool:p/x/y", 3),
    ]
    [both] = agreement(conn, "pool:p/anna", ["pool:p/ben"], bootstrap=Bootstrap(resamples=10, of="pair"))
    assert both.accuracy == 0.75
    assert both.kappa == pytest.approx(7 / 11)
    assert both.intervals
    [final] = agreement(conn, "pool:p", ["pool:p/ben"])
    assert (final.pairs, final.accuracy) == (4, 1)  # the final grade counts
    [same] = alpha(conn, ["pool:p"])
    assert same[1:4] == conn.execute("SELECT annotators, documents, judgments FROM stc.pool_alpha('p')").fetchone()
    submit_pool(conn, pool, edition="e")
    values = [(one.pairs, one.accuracy, one.kappa, one.tau) for one in drafts]
    assert [(one.pairs, one.accuracy, one.kappa, one.tau) for one in agreement(conn, "e")] == values
    [other] = agreement(conn, "e:human/anna", ['{"pool": "p", "annotator": "x/y"}'])
    assert (other.pairs, other.accuracy) == (3, 1)
    for wrong, words in (("pool:q", "no pool 'q'"), ('{"pool": "q"}', "no pool 'q'"), ("pool:p/bob", "no grade by 'bob'")):
        with pytest.raises(UnknownObject, match=words):
            agreement(conn, wrong)
    make_pool(conn, "p/x", rules=PoolRules(depth=1))
    with pytest.raises(BadArgument, match="ambiguous"):
        agreement(conn, "pool:p/x/y")
