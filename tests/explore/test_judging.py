"""Judging on the page, in a real browser: by keys, blind, two at once, and what they disagree on."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace

import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect
from psycopg.conninfo import make_conninfo

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.pools import share_pool
from stcollection.qrels.sheets import submit_pool
from tests.acceptance.conftest import runner
from tests.explore.conftest import Opens, serving
from tests.explore.judged import at, grades, press, query_at, settled, sit
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow


HOSTILE = "<script>window.owned = 1</script> \u202egnp.exe & Voices"
ABSTRACT = "<img src=x onerror='window.owned = 1'> Assistants listen. \u2066‏ \x1b[31m end"
DOCS = [f"d{number}" for number in range(7)]
Open = Callable[[], Page]


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    """A collection with a run and without a pool; each test makes the pool it judges."""
    with open_session(conninfo(empty), autocommit=True) as conn:
        put_documents(conn, {doc: (f"{HOSTILE} {doc}", ABSTRACT) for doc in DOCS[:-1]} | {DOCS[-1]: (None, None)})
        put_queries(conn, {"q1": "voice +assistants", "q2": "another <b>query</b>"}, topic_text="A <i>topic</i>")
        put_run(conn, "secret_run", {"q1": DOCS[:5], "q2": DOCS[5:]}, team="secret_team")
    return empty


@pytest.fixture
def tab(opens: Opens, address: str) -> Open:
    """Opens the view, each time in a new browser context; an error in a browser fails the test."""

    def opened() -> Page:
        page = opens(address, timeout=8_000)
        page.goto("/judging")
        return page

    return opened


def test_five_by_keys_each_a_row_with_annotator_and_time(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    judged = {press(page, key): int(key) for key in "01201"}
    assert len(judged) == 5
    assert grades(store, pool, "anna") == judged
    expect(page.locator(".stc-status")).to_contain_text("Graded 1. Document ")
    expect(page.get_by_text("5 of 7 documents judged.")).to_be_visible()
    rows = store.execute(
        "SELECT annotator, changed <= now() FROM stc_all.qrels_assessments WHERE pool = stc.pool_key(%s)", [pool]
    ).fetchall()
    assert rows == [("anna", True)] * 5
    press(page, "0")
    press(page, "0")
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    expect(page.get_by_text(f"stc pool submit {pool}")).to_be_visible()


def test_the_article_is_next_to_the_query_and_stays_open(tab: Open, store: psycopg.Connection, pool: str) -> None:
    store.execute(
        "UPDATE st1_topics SET title = 'Homes', source = 'The <b>Gazette</b>',"
        " article = repeat('Voices everywhere. ', 60) || E'\\n\\nThe <i>end</i>.'"
    )
    try:
        page = tab()
        sit(page, pool, "anna")
        expect(page.locator(".stc-paper .stc-asked")).to_contain_text("Homes")
        last = page.get_by_text("The <i>end</i>.")
        expect(last).to_be_hidden()
        page.keyboard.press("a")
        expect(last).to_be_visible()
        expect(page.get_by_text("The <b>Gazette</b>")).to_be_visible()
        press(page, "1")
        expect(last).to_be_visible()
        page.locator(".stc-article summary").click()
        press(page, "1")
        expect(last).to_be_hidden()
        page.set_viewport_size({"width": 390, "height": 844})  # it opens above the document
        expect(page.locator(".stc-guidelines")).to_be_hidden()
        page.locator(".stc-paper h2").focus()
        page.keyboard.press("a")
        expect(last).to_be_visible()
        page.keyboard.press("Escape")
        expect(last).to_be_hidden()
        store.execute("UPDATE st1_topics SET article = 'A short article.'")
        another = tab()
        sit(another, pool, "ben")
        expect(another.get_by_text("A short article.")).to_be_visible()
    finally:
        store.execute("UPDATE st1_topics SET title = NULL, source = NULL, article = NULL")


def test_back_and_correct(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    first, second = press(page, "0"), press(page, "1")
    third = at(page)
    press(page, "Backspace")
    assert at(page) == second
    expect(page.locator(".stc-status")).to_contain_text("graded 1")
    press(page, "ArrowLeft")
    assert at(page) == first
    press(page, "2")
    assert at(page) == third
    assert grades(store, pool, "anna") == {first: 2, second: 1}


def test_skipped_documents_come_back_at_the_end(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    skipped = press(page, "s")
    assert at(page) != skipped
    for _ in range(6):
        press(page, "1")
    assert at(page) == skipped
    assert grades(store, pool, "anna")[skipped] is None
    press(page, "s")  # there is nothing else
    assert at(page) == skipped


def test_keys_in_a_text_field_and_held_keys_judge_nothing(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    here = at(page)
    page.keyboard.press("n")
    page.keyboard.type("2 of the 1 <b>s")
    page.keyboard.press("Backspace")
    assert at(page) == here
    page.keyboard.press("Escape")
    page.keyboard.press("9")  # not of the scale
    page.keyboard.press("?")
    expect(page.get_by_text("skip; the document comes back after the others")).to_be_visible()
    page.keyboard.press("1")  # the list is above the document
    page.keyboard.press("?")
    expect(page.get_by_text("skip; the document comes back after the others")).to_be_hidden()
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert grades(store, pool, "anna") == {}
    page.keyboard.down("1")
    for _ in range(4):
        page.keyboard.down("1")  # it repeats
    page.keyboard.up("1")
    expect(page.locator(".stc-status")).to_contain_text("Graded 1")
    assert grades(store, pool, "anna") == {here: 1}
    [(note,)] = store.execute("SELECT note FROM stc.pool_sheet(%s, 'anna') WHERE token = %s", [pool, here])
    assert note == "2 of the 1 <b>"


def test_fast_keys_are_about_the_document_on_the_screen(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    page.evaluate(
        """() => {
            window.judged = {};
            document.addEventListener("keydown", (event) => {
                const paper = document.querySelector(".stc-paper");
                const token = paper.querySelector("[name=token]").value;
                if (token && !paper.dataset.busy) window.judged[token] = Number(event.key);
            }, true);
        }"""
    )
    for number in range(200):
        page.keyboard.press("012"[number % 3])
        if page.locator(".stc-finished").count():
            break
    page.locator(".stc-finished").wait_for()
    meant = page.evaluate("window.judged")
    assert len(meant) == 7
    assert grades(store, pool, "anna") == meant


def test_a_reload_in_the_middle_resumes(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    press(page, "1")
    here = at(page)
    page.reload()
    settled(page)
    assert at(page) == here
    press(page, "2")
    assert grades(store, pool, "anna")[here] == 2


def test_two_annotators_at_once_lose_nothing(tab: Open, store: psycopg.Connection, pool: str) -> None:
    pages = {"anna": tab(), "ben": tab()}
    for annotator, page in pages.items():
        sit(page, pool, annotator)
    given: dict[str, dict[str, int]] = {"anna": {}, "ben": {}}
    for number in range(7):
        for annotator, page in pages.items():
            grade = number % 2 if annotator == "anna" else 2
            given[annotator][press(page, str(grade))] = grade
    assert {annotator: grades(store, pool, annotator) for annotator in pages} == given
    assert given["anna"].keys() == given["ben"].keys()  # the pool is not shared: each judges all of it


def test_one_annotator_in_two_windows(tab: Open, store: psycopg.Connection, pool: str) -> None:
    one, other = tab(), tab()
    sit(one, pool, "anna")
    sit(other, pool, "anna")
    assert at(one) != at(other)
    first, second = press(one, "1"), press(other, "2")
    assert grades(store, pool, "anna") == {first: 1, second: 2}
    assert at(one) != at(other)


def test_what_was_judged_elsewhere_is_not_overwritten_unseen(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    here = at(page)
    AssessorSheet(store, pool, "anna").decide(here, 0)
    press(page, "2")
    expect(page.locator(".stc-status")).to_contain_text("Not stored")
    expect(page.locator(".stc-status")).to_contain_text("graded 0")
    assert at(page) == here
    assert grades(store, pool, "anna") == {here: 0}
    press(page, "2")  # having seen it
    assert grades(store, pool, "anna") == {here: 2}


def test_a_shared_pool_knows_its_annotators(tab: Open, store: psycopg.Connection, pool: str) -> None:
    share_pool(store, pool, annotators=["anna", "ben"])
    page = tab()
    page.locator("[name=pool]").select_option(pool)  # shows it at once
    expect(page.get_by_text("Shared among anna, ben")).to_be_visible()
    page.get_by_label("Your name").fill("eve")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("is not shared with 'eve'")
    page.get_by_label("Your name").fill(" ")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("The name is empty")
    sit(page, pool, "ben")
    other = tab()
    sit(other, pool, "anna")
    seen = {press(one, "1") for one in (page, other) for _ in range(3)}
    assert len(seen) == 6  # no document twice


def test_a_submitted_judgment_and_a_pool_that_is_gone_are_told(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    first = press(page, "1")
    press(page, "Backspace")
    submit_pool(store, pool, edition=pool)
    press(page, "2")
    expect(page.get_by_role("alert")).to_contain_text("This judgment was submitted and can no longer be changed")
    assert at(page) == first
    assert grades(store, pool, "anna") == {first: 1}
    press(page, "s")
    press(page, "Backspace")
    expect(page.locator(".stc-paper")).to_contain_text("submitted with grade 1")
    expect(page.get_by_role("button", name="2 very relevant")).to_be_disabled()
    press(page, "s")
    here = at(page)
    store.execute("SELECT stc.drop_pool(%s, true)", [pool])
    press(page, "2")
    expect(page.get_by_role("alert")).to_contain_text("There is no pool")
    assert at(page) == here


def test_what_could_not_be_stored_is_told_and_can_be_pressed_again(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    here = at(page)
    store.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    for _ in range(8):  # each lost connection is found out once
        press(page, "2")
        if page.get_by_role("alert").count() == 0:
            break
        assert at(page) == here
        stored = grades(store, pool, "anna")
        assert stored in ({}, {here: 2})
        expect(page.locator(".stc-status")).to_contain_text("Graded 2. The next document" if stored else "Not stored")
    else:
        pytest.fail("the page does not come back")
    assert grades(store, pool, "anna") == {here: 2}


def test_it_is_blind_and_texts_are_texts(tab: Open, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    for _ in range(7):
        text = page.locator(".stc-paper").inner_text()
        assert "secret" not in page.locator("body").inner_text()
        assert "\u202e" not in text
        assert "(no title)" in text or ("<script>window.owned = 1</script>" in text and "<img src=x" in text)
        if "Query q1" in text:
            assert set(page.locator(".stc-paper mark").all_inner_texts()) == {"Voices", "Assistants"}
        press(page, "1")
    assert page.evaluate("window.owned") is None


def test_disagreements_are_shown_and_what_is_open_is_not(tab: Open, store: psycopg.Connection, pool: str) -> None:
    for annotator, grade in (("ben", 0), ("eve", 2)):
        for token in [row[0] for row in store.execute("SELECT token FROM stc.pool_sheet(%s, 'ben')", [pool])]:
            AssessorSheet(store, pool, annotator).decide(token, grade)
    page = tab()
    sit(page, pool, "anna")
    mine = press(page, "1")
    page.get_by_role("link", name="Disagreements", exact=True).click()
    expect(page.get_by_text("Documents with different grades: 1. Hidden until you have judged them: 6.")).to_be_visible()
    dispute = page.locator(".stc-dispute")
    expect(dispute).to_have_count(1)
    for place, what in enumerate(("anna: 1", "ben: 0", "eve: 2")):
        expect(dispute.locator(".stc-grades").get_by_role("listitem").nth(place)).to_contain_text(what)
    assert "Assistants listen." in dispute.inner_text() or "(no abstract)" in dispute.inner_text()
    expect(page.get_by_text("Krippendorff's alpha for 3 annotators and 7 documents")).to_be_visible()

    typed = page.get_by_label("Query set")
    other = {"q1": "q2", "q2": "q1"}[dispute.get_attribute("data-query") or ""]
    typed.fill(other)
    typed.press("Enter")
    expect(page.get_by_text("No document visible to you has different grades.")).to_be_visible()
    typed.fill(f"q*-{other}")
    typed.press("Enter")
    expect(dispute).to_have_count(1)
    expect(page.locator("[name=of] option")).to_have_count(2)  # all queries, and the one of the set
    typed.fill("hard")
    typed.press("Enter")
    expect(page.get_by_text("There is no query or set of queries 'hard'")).to_be_visible()
    page.go_back()
    typed.fill("")
    typed.press("Enter")
    expect(page.get_by_text("Krippendorff's alpha for 3 annotators and 7 documents")).to_be_visible()
    expect(page.get_by_text(f"stc pool submit {pool} --edition raw")).to_be_visible()
    page.get_by_role("link", name="Review", exact=True).click()
    settled(page)
    assert at(page) == mine
    press(page, "2")
    assert grades(store, pool, "anna") == {mine: 2}
    page.go_back()
    page.reload()
    expect(dispute.get_by_text("replaced later")).to_be_visible()  # its history


def test_one_query_is_judged_alone(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    sit(page, pool, "anna")
    page.get_by_role("link", name="0 of 7 documents judged").click()
    page.get_by_role("link", name="another <b>query</b>").click()
    settled(page)
    assert query_at(page) == "q2"
    expect(page.locator(".stc-status")).to_contain_text("of query q2")
    press(page, "1")
    press(page, "1")
    expect(page.locator(".stc-paper")).to_contain_text("All documents of query q2 are judged. 5 documents of other queries remain")
    page.get_by_role("link", name="2 of 7 documents judged").click()
    page.get_by_role("link", name="Judge all queries").click()
    settled(page)
    expect(page.locator(".stc-status")).to_contain_text("of query q1")
    assert len(grades(store, pool, "anna")) == 2


def test_only_the_queries_of_a_typed_set(tab: Open, store: psycopg.Connection, pool: str) -> None:
    page = tab()
    page.goto(f"/?tab=judging&pool={pool}&only=q*-q1")  # a former address
    expect(page.get_by_label("Query set")).to_have_value("q*-q1")
    expect(page.get_by_role("row", name="another <b>query</b>")).to_be_visible()
    expect(page.get_by_role("row", name="voice +assistants")).to_have_count(0)
    page.get_by_label("Your name").fill("anna")
    page.get_by_role("button", name="Start").click()
    settled(page)
    assert query_at(page) == "q2"
    expect(page.get_by_text("0 of 2 documents judged")).to_be_visible()
    press(page, "1")
    press(page, "1")
    expect(page.locator(".stc-paper")).to_contain_text(
        "All 2 documents of the set q*-q1 are judged. Clear the field of the query set"
    )
    expect(page.locator(".stc-paper")).not_to_contain_text("submit")
    page.get_by_role("link", name="Progress", exact=True).click()
    row = page.get_by_role("row", name="anna")
    expect(row.get_by_role("cell").nth(0)).to_have_text("2")
    page.get_by_label("Query set").fill("hard")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("There is no query or set of queries 'hard'")).to_be_visible()
    page.go_back()
    page.get_by_label("Query set").fill("")
    page.get_by_role("button", name="Show").click()
    expect(row.get_by_role("cell").nth(0)).to_have_text("7")
    page.get_by_role("link", name="Judge", exact=True).click()
    settled(page)
    assert query_at(page) == "q1"
    assert len(grades(store, pool, "anna")) == 2


def test_a_role_that_can_only_read_is_told(browser: Browser, own: Settings, store: psycopg.Connection, pool: str) -> None:
    store.execute("DROP ROLE IF EXISTS stc_explore_reader")
    store.execute("CREATE ROLE stc_explore_reader LOGIN")
    try:
        store.execute("GRANT USAGE ON SCHEMA public, stc, stc_all TO stc_explore_reader")
        store.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public, stc, stc_all TO stc_explore_reader")
        for address in serving(replace(own, dsn=make_conninfo(conninfo(own), user="stc_explore_reader"))):
            page = browser.new_page(base_url=address)
            page.goto("/judging")
            page.get_by_label("Your name").fill("anna")
            page.get_by_role("button", name="Start").click()
            expect(page.get_by_role("alert")).to_contain_text("a read-only role")
            page.close()
    finally:
        store.execute("DROP OWNED BY stc_explore_reader")
        store.execute("DROP ROLE stc_explore_reader")


def test_without_a_pool_the_page_says_how_one_is_made(own: Settings, store: psycopg.Connection, tab: Open) -> None:
    store.execute("SELECT stc.drop_pool(pool, true) FROM stc_all.qrels_pools")
    page = tab()
    command = page.locator(".stc-judging pre").first.inner_text()
    stc, *arguments = shlex.split(command)
    assert (stc, arguments[:3]) == ("stc", ["pool", "make", "first"])
    done = runner(own)(*arguments)
    assert done.returncode == 0, done.stderr
    sit(tab(), arguments[2], "anna")
