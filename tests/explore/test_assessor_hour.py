"""An assessor's hour: sixty documents in one sitting, by keyboard only, and every decision is stored once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.pools import make_pool
from tests.explore.conftest import serving
from tests.explore.judged import at, cut, kept, mend, offline, press
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow

POOL, ASSESSOR, DOCUMENTS = "hour", "anna", 60
DOCS = [f"d{number}" for number in range(DOCUMENTS)]
ROWS = """
    SELECT q.query, d.docno, a.rel, a.undecided, a.note, a.seconds, a.changed BETWEEN %s AND clock_timestamp() AS timed
      FROM stc_all.qrels_assessments a JOIN st1_queries q ON q.id = a.query JOIN dblp d ON d.id = a.doc
     WHERE a.pool = stc.pool_key(%s) AND a.annotator = %s"""


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    with open_session(conninfo(empty), autocommit=True) as conn:
        put_documents(
            conn, {doc: (f"Title of {doc}", f"Words about {doc}. " * (1 + number % 9)) for number, doc in enumerate(DOCS)}
        )
        put_queries(conn, {f"q{number}": f"query {number}" for number in range(6)})
        put_run(conn, "r", {f"q{number}": DOCS[10 * number : 10 * number + 10] for number in range(6)})
        make_pool(conn, POOL)
    return empty


def to(page: Page, label: str) -> None:
    """Press Tab until the field with this label has the focus."""
    field = page.get_by_label(label, exact=True)
    field.wait_for()
    for _ in range(60):
        if field.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not reach {label}")


class Hour:
    """What the assessor meant.

    :ivar given: grade (None: cannot decide) and note of each document, by token; the last decision counts.
    :ivar changes: number of changes of the stored sheet, as the audit log counts them.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.given: dict[str, tuple[int | None, str | None]] = {}
        self.changes: Counter[str] = Counter()

    def decide(self, key: str, note: str | None = None) -> str:
        token = press(self.page, key)
        self._meant(token, key, note)
        return token

    def decide_offline(self, key: str) -> str:
        token = offline(self.page, key)
        self._meant(token, key, None)
        return token

    def _meant(self, token: str, key: str, note: str | None) -> None:
        self.given[token] = (None if key == "c" else int(key), note)
        self.changes[token] += 1

    def write_note(self, text: str) -> None:
        self.page.keyboard.press("n")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Escape")

    def grade(self, documents: int) -> None:
        for _ in range(documents):
            self.decide("012"[len(self.given) % 3])


def test_sixty_documents_by_keyboard(browser: Browser, own: Settings, tmp_path: Path) -> None:
    audit, complaints = tmp_path / "audit.jsonl", []
    with open_session(conninfo(own), autocommit=True) as store:
        [began] = store.execute("SELECT clock_timestamp()").fetchone() or ()
        for address in serving(own, "--audit", str(audit)):
            context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=address)
            page = context.new_page()
            page.set_default_timeout(20_000)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(f"/?tab=judging&pool={POOL}")
            hour = sixty(page)
            expect(page.locator(".stc-finished")).to_contain_text("All 60 documents are judged. Thank you! 2 of them could not")
            assert kept(page) == 0
            context.close()
        assert complaints == []
        rows = store.execute(ROWS, [began, POOL, ASSESSOR]).fetchall()
        tokens = store.execute("SELECT query, docno, token FROM stc.pool_sheet(%s, %s)", [POOL, ASSESSOR]).fetchall()
        others = store.execute("SELECT count(*) FROM stc_all.qrels_assessments").fetchone()
    token_of = {(query, docno): token for query, docno, token in tokens}
    assert (len(rows), len(token_of), others) == (DOCUMENTS, DOCUMENTS, (DOCUMENTS,))
    assert {token_of[query, docno]: (rel, note) for query, docno, rel, _, note, _, _ in rows} == hour.given
    assert [undecided for _, _, rel, undecided, *_ in rows] == [rel is None for _, _, rel, *_ in rows]
    assert all(timed and seconds is not None and seconds < 600 for *_, seconds, timed in rows)
    # Each change is one line of the log: a decision that was stored twice would add a line.
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert Counter(token_of[line["query"], line["document"]] for line in lines) == hour.changes
    assert {(line["annotator"], line["pool"]) for line in lines} == {(ASSESSOR, POOL)}


def sixty(page: Page) -> Hour:
    """Judge the pool: from the name to the last document, with all that happens in an hour."""
    hour = Hour(page)
    to(page, "Your name")
    page.keyboard.type(ASSESSOR)
    page.keyboard.press("Enter")
    page.locator(".stc-paper").wait_for()
    expect(page.locator(".stc-guidelines")).to_contain_text("2: very relevant.")

    hour.grade(9)
    skipped = press(page, "s")  # comes back at the end
    hour.changes[skipped] += 1
    undecided = hour.decide("c")
    page.keyboard.press("?")
    expect(page.get_by_text("cannot decide; the document does not come back")).to_be_visible()
    page.keyboard.press("?")
    hour.write_note("an advertisement <b>")
    hour.decide("0", note="an advertisement <b>")
    expect(page.locator(".stc-pace")).to_contain_text("10 of 60 documents judged, 1 cannot be decided, 1 skipped")

    # Two slips: the grade before, and one further back.
    slip = hour.decide("2")
    press(page, "u")
    hour.changes[slip] += 1
    assert at(page) == slip
    hour.decide("1")
    hour.grade(10)
    earlier = list(hour.given)[-2]
    for _ in range(2):
        press(page, "p")
    assert at(page) == earlier
    hour.decide("2")
    press(page, "p")
    press(page, "s")  # keep its grade
    assert at(page) not in hour.given

    # The connection drops in the middle: the browser keeps five decisions.
    cut(page)
    for key in "20c1":
        hour.decide_offline(key)
    expect(page.get_by_text("(4 now)")).to_be_visible()
    hour.write_note("while offline")
    last = offline(page, "2")
    hour.given[last] = (2, "while offline")
    hour.changes[last] += 1
    mend(page)
    expect(page.locator(".stc-status")).to_contain_text("5 decisions that the browser kept are stored.")
    assert kept(page) == 0
    expect(page.locator(".stc-guidelines")).to_be_visible()

    hour.grade(DOCUMENTS - 1 - len(hour.given))
    assert (at(page), skipped in hour.given) == (skipped, False)
    hour.decide("1")
    assert hour.given[undecided] == (None, None)
    return hour
