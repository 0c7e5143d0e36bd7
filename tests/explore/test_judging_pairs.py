"""Pairs on the page, in a real browser: by keys, undo, two windows, lost connections, a phone, and what the organiser sees."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.comparisons import next_pair, pair_progress, submit_pairs, undo_comparison
from tests.explore.conftest import Opens, served
from tests.qrels.pooled import put_documents, put_queries, put_run
from tests.serve.services import free_port

pytestmark = pytest.mark.slow

DOCS = [f"d{number}" for number in range(8)]
HOSTILE = "<script>window.owned = 1</script>"
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    with open_session(conninfo(empty), autocommit=True) as conn:
        put_documents(conn, {doc: (f"Title {doc} {HOSTILE}", f"Words of {doc}. " * 30) for doc in DOCS})
        put_queries(conn, {"q1": "title", "q2": "words"})
        put_run(conn, "secret_run", {"q1": DOCS[:5], "q2": DOCS[5:]})
    return empty


@pytest.fixture(scope="module")
def address(own: Settings) -> Iterator[str]:
    port = free_port()
    with served(own, port):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def opened(opens: Opens, address: str, pool: str) -> Open:
    """Opens the panel as an annotator, in a browser of its own. An error in the page fails the test."""

    def opened(base: str = address, *, annotator: str = "anna", width: int = 1440, height: int = 900, lang: str = "en") -> Page:
        page = opens(base, width, height, console=False)
        page.goto(f"/?tab=judging&panel=pairs&pool={pool}&lang={lang}")  # a former address
        name = page.get_by_label({"en": "Your name", "de": "Ihr Name"}[lang])
        name.fill(annotator)
        name.press("Enter")
        settled(page)
        return page

    return opened


def tokens(page: Page) -> tuple[str, str]:
    at = page.locator(".stc-comparison")
    left, right = at.locator("[name=left]"), at.locator("[name=right]")
    return (left.input_value(), right.input_value()) if left.count() else ("", "")


def query_at(page: Page) -> str:
    return page.locator(".stc-comparison [name=query]").input_value()


def settled(page: Page) -> None:
    """Wait until the page has reserved its pair."""
    page.locator(".stc-comparison").wait_for()
    page.wait_for_load_state("networkidle")


def press(page: Page, key: str) -> tuple[str, str]:
    """Press a key on a pair, and wait for the next drawing; returns the tokens of the pair."""
    pair = tokens(page)
    page.keyboard.press(key)
    page.wait_for_function("() => !document.querySelector('.stc-comparison').dataset.busy")
    return pair


def choices(store: psycopg.Connection, pool: str, annotator: str = "anna") -> list[str]:
    """The choices of an annotator in the order of time."""
    rows = store.execute(
        "SELECT choice FROM stc_all.qrels_comparisons WHERE pool = stc.pool_key(%s) AND annotator = %s ORDER BY decided",
        [pool, annotator],
    ).fetchall()
    return [choice for (choice,) in rows]


def kept(page: Page) -> int:
    return int(page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('stc.pairs.decision.')).length"))


def test_pairs_by_keys_until_the_order_is_complete(opened: Open, store: psycopg.Connection, pool: str) -> None:
    page = opened()
    expect(page.get_by_text("Which document answers the query better?")).to_be_visible()
    expect(page.locator(".stc-comparison")).not_to_contain_text("secret_run")
    expect(page.locator(".stc-comparison h2").first).to_contain_text(HOSTILE)
    assert page.evaluate("window.owned") is None
    assert page.locator(".stc-comparison mark").count() > 0
    places, seen = [], []
    for key in ("1", "2", "ArrowLeft", "ArrowRight", "0"):
        places.append(page.locator(".stc-press:visible").bounding_box())
        seen.append(press(page, key))
    assert places == [places[0]] * 5
    assert choices(store, pool) == ["left", "right", "left", "right", "equal"]
    assert len({frozenset(pair) for pair in seen}) == 5
    page.keyboard.press("?")
    expect(page.get_by_text("undo the last comparison; press it again")).to_be_visible()
    page.keyboard.press("?")
    while page.locator(".stc-finished").count() == 0:
        seen.append(press(page, "2"))
    assert len({frozenset(pair) for pair in seen}) == len(seen)
    assert len(seen) <= sum(math.ceil(math.log2(one)) for size in (5, 3) for one in range(2, size + 1))
    expect(page.get_by_text("All documents are in order.")).to_be_visible()
    expect(page.get_by_text(f"stc pool submit {pool} --pairs")).to_be_visible()
    timed = store.execute(
        "SELECT count(*), count(decision) FROM stc_all.qrels_comparisons WHERE pool = stc.pool_key(%s) AND seconds"
        " BETWEEN 0 AND 60",
        [pool],
    ).fetchone()
    assert timed == (len(seen), len(seen))
    assert submit_pairs(store, pool, edition=f"{pool}_edition").levels == 8
    page.get_by_role("link", name="Progress", exact=True).click()
    row = page.get_by_role("table", name="Comparisons by assessor").get_by_role("row", name="anna")
    expect(row.get_by_role("cell")).to_have_text(["2", "2", "2", str(len(seen)), "0"])


def test_only_the_queries_of_a_typed_set(opened: Open, store: psycopg.Connection, pool: str) -> None:
    page = opened()
    page.goto(f"/judging/pairs?pool={pool}&annotator=anna&only=q*-q1")
    settled(page)
    assert query_at(page) == "q2"
    rows = page.get_by_role("table", name="Your comparisons by query")
    expect(rows.get_by_role("row")).to_have_count(2)  # the heading, and q2
    while page.locator(".stc-finished").count() == 0:
        press(page, "1")
    finished = page.locator(".stc-finished")
    expect(finished).to_contain_text("All documents of the set q*-q1 are in order. Clear the field of the query set to compare")
    expect(finished).not_to_contain_text("submit")
    assert {one.query: one.remaining > 0 for one in pair_progress(store, pool, "anna")} == {"q1": True, "q2": False}
    page.goto(f"/judging/pairs?pool={pool}&annotator=anna&only=nothing")
    expect(page.get_by_text("There is no query or set of queries 'nothing'")).to_be_visible()
    page.goto(f"/judging/pairs?pool={pool}&annotator=anna")
    settled(page)
    assert query_at(page) == "q1"


def test_undo_buttons_and_other_choices(opened: Open, store: psycopg.Connection, pool: str) -> None:
    page = opened()
    first = tokens(page)
    page.get_by_role("button", name="Both not relevant").click()
    page.wait_for_function("() => !document.querySelector('.stc-comparison').dataset.busy")
    second = press(page, "c")
    press(page, "u")
    assert tokens(page) == second
    expect(page.locator(".stc-status")).to_contain_text("Undone.")
    press(page, "u")
    assert tokens(page) == first
    assert choices(store, pool) == []
    press(page, "u")
    expect(page.locator(".stc-status")).to_contain_text("There is nothing to undo.")
    press(page, "1")
    page.reload()  # the order continues, and undo works on what is stored
    settled(page)
    assert tokens(page) != first
    press(page, "u")
    assert tokens(page) == first
    assert choices(store, pool) == []


def test_one_query_and_two_windows(opened: Open, store: psycopg.Connection, pool: str) -> None:
    page, other = opened(), opened()
    shown = [query_at(one) for one in (page, other)]
    assert set(shown) == {"q1", "q2"}
    third = opened()
    expect(third.get_by_text("The remaining pairs are open in another window of yours.")).to_be_visible()
    ben = opened(annotator="ben")
    ben.get_by_role("link", name="words").last.click()
    settled(ben)
    assert query_at(ben) == "q2"
    while ben.locator(".stc-finished").count() == 0:
        press(ben, "0")
    expect(ben.get_by_text("All documents of query q2 are in order.")).to_be_visible()
    assert [one.remaining == 0 for one in pair_progress(store, pool, "ben") if one.query == "q2"] == [True]
    stale = next_pair(store, pool, "anna", query=shown[0])
    assert stale is not None
    press(page, "1")
    assert undo_comparison(store, pool, "anna", query=shown[0]) == shown[0]  # elsewhere
    press(page, "2")
    expect(page.locator(".stc-status")).to_contain_text("Not stored: this pair was compared in another window.")
    assert choices(store, pool) == []
    assert tokens(page) == (stale.left_token, stale.right_token)


def test_a_comparison_survives_a_restarted_server(opened: Open, own: Settings, store: psycopg.Connection, pool: str) -> None:
    port = free_port()
    with served(own, port) as process:
        page = opened(f"http://127.0.0.1:{port}")
        press(page, "1")
        process.kill()
        process.wait()
        page.keyboard.press("u")
        expect(page.get_by_text("You can still compare this pair")).to_be_visible()
        page.keyboard.press("2")
        expect(page.get_by_text("Your comparison is kept in this browser")).to_be_visible()
        page.keyboard.press("1")  # one decision a pair
        assert kept(page) == 1
    assert choices(store, pool) == ["left"]
    with served(own, port):
        expect(page.locator(".stc-comparison")).not_to_have_attribute("aria-busy", "true", timeout=40_000)
        page.wait_for_function("() => Object.keys(localStorage).every(name => !name.startsWith('stc.pairs.decision.'))")
        assert choices(store, pool) == ["left", "right"]
        press(page, "0")
        assert choices(store, pool) == ["left", "right", "equal"]


def test_a_phone_shows_both_documents_below_each_other(opened: Open, pool: str) -> None:
    page = opened(width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    first, second = (page.locator(".stc-two section").nth(number).bounding_box() for number in (0, 1))
    assert first is not None
    assert second is not None
    assert second["y"] >= first["y"] + first["height"]
    sizes = page.locator(".stc-press:visible button").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert min(sizes) >= 24
    picture(page, "phone")
    laptop = opened(annotator="ben")
    one, two = (laptop.locator(".stc-two section").nth(number).bounding_box() for number in (0, 1))
    assert one is not None
    assert two is not None
    assert one["y"] == two["y"]
    picture(laptop, "laptop")


def picture(page: Page, name: str) -> None:
    """Store a picture in the folder that STC_TEST_PICTURES names, if any."""
    if folder := os.environ.get("STC_TEST_PICTURES"):
        page.screenshot(path=Path(folder) / f"pairs-{name}.png")


def test_in_german(opened: Open, pool: str) -> None:
    page = opened(lang="de")
    expect(page.get_by_role("button", name="Dokument 1 ist besser")).to_be_visible()


def test_own_keys(opened: Open, store: psycopg.Connection, pool: str) -> None:
    page = opened()
    page.goto(f"/judging/pairs?pool={pool}&annotator=anna")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("?")
    key = page.get_by_label("Key: document 1 answers the query better")
    key.fill("b")  # taken
    key.blur()
    expect(key).to_have_value("1")
    key.fill("x")
    key.blur()
    page.keyboard.press("?")  # closes it
    expect(page.get_by_role("button", name="x Document 1 is better")).to_be_visible()
    page.reload()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("1")  # is no key any more
    page.keyboard.press("x")
    expect(page.get_by_text("1 made, at most")).to_be_visible()
    expect(page.get_by_role("button", name="x Document 1 is better")).to_be_visible()  # also with the next pair
    assert [row.compared for row in pair_progress(store, pool, "anna") if row.compared] == [1]
    page.goto(f"/judging?pool={pool}&annotator=anna")  # the sheet has other keys
    page.keyboard.press("?")
    expect(page.get_by_label("Key: skip")).to_have_value("s")
