"""A judging session on the page: outcomes, undo, lost connections, guidelines, and what the organiser sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.explore.judging.texts import progress_text
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.guidelines import set_guidelines
from stcollection.qrels.judging import SheetCounts
from stcollection.qrels.labels import show_labels
from tests.explore.conftest import Opens, served
from tests.explore.judged import at, cut, grades, kept, mend, offline, press, settled, sit
from tests.qrels.pooled import put_documents, put_queries, put_run
from tests.serve.services import free_port

pytestmark = pytest.mark.slow

DOCS = [f"d{number}" for number in range(8)]
SIZES = [(1440, 900), (820, 1180), (390, 844)]
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    with open_session(conninfo(empty), autocommit=True) as conn:
        put_documents(
            conn, {doc: (f"Title {doc}", f"Words of {doc}. " * (1 + 40 * (number % 2))) for number, doc in enumerate(DOCS)}
        )
        put_queries(conn, {"q1": "title", "q2": "words"})
        put_run(conn, "r", {"q1": DOCS[:6], "q2": DOCS[6:]})
    return empty


@pytest.fixture(scope="module")
def address(own: Settings) -> Iterator[str]:
    port = free_port()
    with served(own, port):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def tab(opens: Opens, address: str) -> Open:
    """Opens the view in a new browser context. An error in the page fails the test."""

    def opened(base: str = address, width: int = 1200, height: int = 800) -> Page:
        page = opens(base, width, height, timeout=8_000, console=False)
        page.goto("/judging")
        page.get_by_role("heading", name="Judge a pool").wait_for()
        return page

    return opened


def test_buttons_stay_in_place_and_cannot_decide_is_stored(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    places = []
    for _ in range(4):
        places.append(page.locator(".stc-press button").evaluate_all("all => all.map(one => [one.offsetLeft, one.offsetTop])"))
        places.append(page.locator(".stc-press").bounding_box())
        press(page, "1")
    assert places[::2] == [places[0]] * 4
    assert places[1::2] == [places[1]] * 4
    token = press(page, "c")
    expect(page.locator(".stc-status")).to_contain_text("Stored: cannot decide")
    expect(page.get_by_text("4 of 8 documents judged, 1 cannot be decided")).to_be_visible()
    stored = store.execute("SELECT state FROM stc.pool_sheet(%s, 'anna') WHERE token = %s", [pool, token]).fetchone()
    assert stored == ("undecided",)
    for _ in range(3):
        press(page, "0")
    expect(page.get_by_text("1 of them could not be decided")).to_be_visible()
    timed = store.execute("SELECT count(*) FROM stc_all.qrels_assessments WHERE seconds BETWEEN 0 AND 60").fetchone()
    assert timed == (8,)
    press(page, "p")
    press(page, "p")
    press(page, "p")
    press(page, "p")
    assert at(page) == token
    expect(page.locator(".stc-paper")).to_contain_text("you could not decide")


def test_undo_in_several_steps(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    first, second = press(page, "1"), press(page, "c")
    press(page, "p")
    press(page, "p")
    press(page, "2")  # first is 2 now
    assert grades(store, pool, "anna") == {first: 2, second: None}
    press(page, "u")
    assert at(page) == first
    expect(page.locator(".stc-status")).to_contain_text("Undone. Document")
    assert grades(store, pool, "anna") == {first: 1, second: None}
    press(page, "u")
    assert at(page) == second
    assert grades(store, pool, "anna") == {first: 1}
    press(page, "u")
    assert at(page) == first
    assert grades(store, pool, "anna") == {}
    press(page, "u")
    expect(page.locator(".stc-status")).to_contain_text("There is nothing to undo")
    press(page, "0")
    AssessorSheet(store, pool, "anna").decide(first, 1)
    press(page, "u")
    expect(page.locator(".stc-status")).to_contain_text("Not undone")
    assert grades(store, pool, "anna") == {first: 1}


def test_decisions_survive_a_dropped_connection(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    given = {press(page, "1"): 1}
    cut(page)
    for key in "201":
        given[offline(page, key)] = int(key)
    expect(page.get_by_text("The connection to the server is lost")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.type("offline <b>")
    page.keyboard.press("Escape")
    noted = offline(page, "2")
    given[noted] = 2
    assert kept(page) == 4
    assert len(grades(store, pool, "anna")) == 1
    mend(page)
    expect(page.locator(".stc-status")).to_contain_text("4 decisions that the browser kept are stored.")
    expect(page.get_by_text("The connection to the server is lost")).to_be_hidden()
    assert grades(store, pool, "anna") == given
    assert len(given) == 5
    assert kept(page) == 0
    stored = store.execute("SELECT note FROM stc.pool_sheet(%s, 'anna') WHERE token = %s", [pool, noted]).fetchone()
    assert stored == ("offline <b>",)
    press(page, "0")
    assert len(grades(store, pool, "anna")) == 6


def test_decisions_survive_a_restarted_server(tab: Open, own: Settings, store: psycopg.Connection, pool: str) -> None:
    port = free_port()
    with served(own, port) as process:
        page = tab(f"http://127.0.0.1:{port}")
        sit(page, pool, "anna")
        given = {press(page, "1"): 1}
        here = at(page)
        process.kill()
        process.wait()
        assert at(page) == here
        for key in "21":
            given[offline(page, key)] = int(key)
        expect(page.get_by_text("The connection to the server is lost")).to_be_visible()
        elsewhere = at(page)
        offline(page, "2")
        AssessorSheet(store, pool, "anna").decide(elsewhere, 0)  # in a terminal, meanwhile
        given[elsewhere] = 0
    with served(own, port):
        expect(page.locator(".stc-status")).to_contain_text("2 decisions that the browser kept are stored.", timeout=40_000)
        expect(page.locator(".stc-status")).to_contain_text("judged elsewhere meanwhile")
        assert grades(store, pool, "anna") == given
        assert kept(page) == 0
        settled(page)
        press(page, "0")
        assert len(grades(store, pool, "anna")) == 5


def test_a_decision_whose_confirmation_was_lost_is_not_doubled(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    page.evaluate("() => { Storage.prototype.removeItem = () => {}; }")
    token = press(page, "1")
    changed = store.execute("SELECT changed FROM stc.pool_sheet(%s, 'anna') WHERE token = %s", [pool, token]).fetchone()
    assert kept(page) == 1
    for item in ("7", "{}", '{"id": "x", "key": "2"}', '{"id": "aaaaaaaaaa", "key": "2", "seen": "yesterday", "at": 1}'):
        page.evaluate("item => localStorage.setItem('stc.judging.decision.' + item.length, item)", item)
    page.reload()
    expect(page.locator(".stc-status")).to_contain_text("1 decision that the browser kept is stored.")
    assert grades(store, pool, "anna") == {token: 1}
    again = store.execute("SELECT changed FROM stc.pool_sheet(%s, 'anna') WHERE token = %s", [pool, token]).fetchone()
    assert again == changed


def test_guidelines_beside_the_document(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    expect(page.locator(".stc-guidelines")).to_contain_text("2: very relevant.")
    set_guidelines(store, pool, "Line <script>window.owned = 1</script>\n- \u202esecond")
    page.reload()
    expect(page.locator(".stc-guidelines")).to_have_text("Line <script>window.owned = 1</script>\n- second")
    assert page.evaluate("window.owned") is None


def test_a_language_models_label_after_the_own_decision(tab: Open, store: psycopg.Connection, pool: str) -> None:
    store.execute("INSERT INTO qrels_editions (edition) VALUES ('models')")
    store.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator) SELECT e.id, d.query, d.doc, 2, 'llm', 'gpt <b>'"
        " FROM qrels_editions e, stc_all.qrels_pool_documents d WHERE e.edition = 'models' AND d.pool = stc.pool_key(%s)",
        [pool],
    )
    show_labels(store, pool, edition="models")
    page = tab()
    sit(page, pool, "anna")
    expect(page.locator(".stc-label")).to_have_count(0)
    token = press(page, "1")
    expect(page.locator(".stc-status")).to_contain_text("Graded 1. Label of a language model (gpt <b>): 2. Document")
    expect(page.locator(".stc-label")).to_have_count(0)
    press(page, "p")
    expect(page.locator(".stc-label")).to_have_text("Label of a language model (gpt <b>): 2")
    press(page, "2")
    row = store.execute(
        "SELECT a.rel, a.label, a.label_seen FROM stc_all.qrels_assessments a WHERE a.pool = stc.pool_key(%s)", [pool]
    ).fetchone()
    assert row == (2, 2, True)
    assert grades(store, pool, "anna") == {token: 2}
    show_labels(store, pool, edition="models", beside=True)
    page.reload()
    expect(page.locator(".stc-label")).to_be_visible()


def test_final_grades_by_keyboard(tab: Open, store: psycopg.Connection, pool: str) -> None:
    rows = store.execute("SELECT token, docno FROM stc.pool_sheet(%s, 'anna')", [pool]).fetchall()
    for token, docno in rows:
        AssessorSheet(store, pool, "anna").decide(token, 0, "too <b>short</b>" if docno == "d0" else None)
        AssessorSheet(store, pool, "ben").decide(token, 2 if docno in ("d0", "d1", "d7") else 0)
    page = tab()
    page.goto(f"/judging/disagreements?pool={pool}")
    disputes = page.locator(".stc-dispute")
    expect(disputes).to_have_count(3)
    expect(disputes.first).to_contain_text("too <b>short</b>")
    page.keyboard.press("j")
    expect(disputes.first).to_be_focused()
    page.keyboard.press("1")
    expect(page.get_by_text("Settled: 1.")).to_be_visible()
    expect(disputes.first).to_be_focused()  # the next open one
    expect(disputes.last).to_contain_text("Final grade: 1 by adjudicator")
    page.get_by_label("Adjudicator's name").fill("ben")
    disputes.first.get_by_role("button", name="2 very relevant").click()
    expect(page.get_by_role("alert")).to_contain_text("judged this document as an annotator")
    page.get_by_label("Adjudicator's name").fill("eve")
    disputes.first.get_by_label("Reason").fill("it <i>is</i>")
    disputes.first.get_by_role("button", name="2 very relevant").click()
    expect(page.get_by_text("Settled: 2.")).to_be_visible()
    final = store.execute(
        "SELECT annotator, rel, note FROM stc_all.qrels_assessments WHERE final AND pool = stc.pool_key(%s) ORDER BY annotator",
        [pool],
    ).fetchall()
    assert final == [("adjudicator", 1, None), ("eve", 2, "it <i>is</i>")]


def test_progress_and_the_url_of_each_panel(tab: Open, store: psycopg.Connection, pool: str) -> None:
    for number, (token,) in enumerate(store.execute("SELECT token FROM stc.pool_sheet(%s, 'anna')", [pool]).fetchall()[:5]):
        AssessorSheet(store, pool, "anna").decide(token, 1 if number else None, undecided=not number, seconds=30)
    page = tab()
    page.goto(f"/judging?pool={pool}")
    page.get_by_role("link", name="Progress", exact=True).click()
    row = page.get_by_role("row", name="anna")
    expect(row.get_by_role("cell")).to_have_text(["8", "4", "1", "0", "3", "0", "30", re.compile(r" UTC\s*$")])
    expect(page.get_by_text(f"stc export pool {pool} --annotator anna")).to_be_visible()
    page.wait_for_url("**/judging/progress?*")
    page.go_back()
    expect(page.get_by_role("link", name="Judge", exact=True)).to_have_attribute("aria-current", "page")
    page.go_forward()
    expect(page.get_by_role("link", name="Progress", exact=True)).to_have_attribute("aria-current", "page")
    store.execute("UPDATE stc_all.qrels_assessments SET seconds = 0 WHERE annotator = 'anna' AND pool = stc.pool_key(%s)", [pool])
    page.reload()
    expect(row).to_contain_text("0 too fast: check these grades")
    sitting = tab()
    sitting.goto(f"/judging?pool={pool}")
    expect(sitting.locator("[name=pool]")).to_have_value(pool)


def test_speed_is_shown_after_ten_decisions() -> None:
    few, many = (SheetCounts(100, judged, 0, 0, judged, 30.0) for judged in (9, 10))
    assert progress_text(few) == "9 of 100 documents judged."
    assert progress_text(many) == "10 of 100 documents judged. 120 an hour; about 45 minutes left."


def test_own_keys(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    page.keyboard.press("?")
    key = page.get_by_label("Key: skip")
    key.fill("c")  # taken
    key.blur()
    expect(key).to_have_value("s")
    key.fill("x")
    key.blur()
    page.get_by_role("button", name="Close").last.click()
    page.reload()
    settled(page)
    expect(page.get_by_role("button", name="x Skip")).to_be_visible()
    skipped = at(page)
    page.keyboard.press("s")
    assert at(page) == skipped
    press(page, "x")
    assert at(page) != skipped
    assert grades(store, pool, "anna") == {skipped: None}
    page.keyboard.press("?")
    page.get_by_role("button", name="Restore the keys").click()
    expect(key).to_have_value("s")


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("place", ["", "/pairs"])
def test_the_keys_open_above_everything(tab: Open, pool: str, width: int, height: int, place: str) -> None:
    page = tab(width=width, height=height)
    page.goto(f"/judging{place}?pool={pool}&annotator=anna")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("g")  # over the document on small screens
    page.keyboard.press("?")
    covered = page.evaluate(
        """() => {
          const help = document.querySelector(".stc-help");
          const box = help.getBoundingClientRect();
          const inside = (x, y) => help.contains(document.elementFromPoint(x, y));
          const whole = [0.02, 0.5, 0.98].every((x) => [0.02, 0.5, 0.98].every((y) =>
            inside(box.left + x * box.width, box.top + y * box.height)));
          const press = document.querySelector(".stc-press").getBoundingClientRect();
          return [whole, document.elementFromPoint(press.left + 5, press.top + 5).closest(".stc-press") === null];
        }"""
    )
    assert covered == [True, True]
    page.keyboard.press("?")
    expect(page.locator(".stc-help")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("place", ["", "/pairs"])
def test_the_document_begins_in_the_upper_third(
    tab: Open, store: psycopg.Connection, pool: str, width: int, height: int, place: str
) -> None:
    texts: dict[str, str] = dict(store.execute("SELECT query, text FROM st1_queries").fetchall())
    store.execute("UPDATE stc.st1_queries SET text = repeat('What do people who live alone say ', 9)")  # 63 words
    try:
        page = tab(width=width, height=height)
        page.goto(f"/judging{place}?pool={pool}&annotator=anna")
        page.wait_for_load_state("networkidle")
        box = page.locator(".stc-paper h2, .stc-two h2").first.bounding_box()
        assert box is not None
        assert box["y"] < height / 3
        if place:
            return
        page.keyboard.press("q")
        whole = page.locator(".stc-query").bounding_box()
        assert whole is not None
        assert whole["height"] > 40
    finally:
        for query, text in texts.items():
            store.execute("UPDATE stc.st1_queries SET text = %s WHERE query = %s", [text, query])


def test_a_phone_has_no_side_scrolling(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab(width=390)
    sit(page, pool, "anna")
    for panel in ("Disagreements", "Progress", "Judge"):
        page.get_by_role("link", name=panel, exact=True).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    sizes = page.locator(".stc-press button").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert min(sizes) >= 24
