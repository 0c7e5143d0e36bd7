"""The leaderboard in a browser: a walk from the table to the documents of a query, its address, phones, print, saved figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.explore.conftest import watched

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser: Browser, explorer: str) -> Iterator[Page]:
    with watched(browser, explorer) as page:
        yield page


def shown(page: Page) -> list[str]:
    return page.locator(".board tbody .board-run a").all_inner_texts()


def test_from_the_table_to_the_documents_of_a_query_and_back(page: Page) -> None:
    page.goto("/leaderboard?edition=test")
    ranked = shown(page)
    page.get_by_label("Filter runs").fill("DENSE title")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/leaderboard?edition=test&filter=DENSE+title")  # only what is not as usual
    assert shown(page) == ["dense-title"]
    page.go_back()
    assert shown(page) == ranked
    page.get_by_role("columnheader", name="AP", exact=True).get_by_role("link").press("Enter")
    expect(page.get_by_role("columnheader", name="AP", exact=True)).to_have_attribute("aria-sort", "descending")
    page.get_by_role("link", name="bm25", exact=True).click()
    expect(page.get_by_role("heading", name="bm25", exact=True)).to_be_visible()
    expect(page).to_have_title(re.compile("^bm25 · Leaderboard · "))
    page.get_by_role("link", name="Compare bm25 with …").click()
    expect(page.locator("select[name=pair]")).to_have_value("bm25")
    page.get_by_label("Compare with").select_option("boolean")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/leaderboard/compare?**against=boolean**")
    assert "by=AP" in page.url
    page.locator(".board-bin").first.click()
    page.wait_for_url("**low=**")
    query = page.get_by_role("table", name="bm25 against boolean").get_by_role("rowheader").first
    name = query.inner_text()
    query.get_by_role("link").click()
    page.wait_for_url("**#documents")
    expect(page.get_by_role("heading", name=re.compile(f"^{re.escape(name)}:"))).to_be_in_viewport()
    expect(page.locator(".board-ranked")).to_have_count(2)
    for _ in range(2):
        page.go_back()
    page.reload()
    expect(page.get_by_role("heading", name="bm25 against boolean")).to_be_visible()
    page.go_forward()
    expect(page.locator(".board-chosen")).to_have_count(1)


def test_old_links_open_the_same(page: Page) -> None:
    page.goto("/?tab=leaderboard&edition=train&measures=AP,RBP(p=0.8)&by=RBP(p=0.8)&baseline=bm25&filter=dense")
    page.get_by_role("table", name="Leaderboard of edition train").wait_for()
    assert sorted(shown(page)) == ["dense-abstract", "dense-title"]
    expect(page.get_by_label("Rank by")).to_have_value("RBP(p=0.8)")
    page.goto("/?tab=leaderboard&pair=bm25&against=hybrid&on=D02.1&edition=train")
    expect(page.get_by_role("heading", name="D02.1: pedestrian detection")).to_be_visible()
    page.goto("/?tab=leaderboard&run=bm25&edition=train")
    expect(page.get_by_role("heading", name="bm25", exact=True)).to_be_visible()


def test_the_form_shortens_measures_and_keeps_its_language(page: Page) -> None:
    page.goto("/leaderboard?lang=de&edition=train")
    page.locator("summary").get_by_text("Anfragen, Maße").click()
    page.get_by_label("Bpref", exact=True).uncheck()
    page.get_by_label("Weitere Maße").fill("RBP(p=0.8)")
    page.get_by_role("button", name="Anzeigen").click()
    page.wait_for_url("**measures=**")
    assert page.url.count("measures=") == 1
    assert "lang=de" in page.url
    for absent in ("alpha=", "draws=", "test=", "queries="):
        assert absent not in page.url
    heads = page.locator(".board thead th").all_inner_texts()
    assert "RBP(p=0.8)" in heads
    assert "Bpref" not in heads


def test_a_phone_shows_the_table_above_the_fold(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/leaderboard?edition=test&readable=yes")
    rows = page.locator(".board tbody tr").evaluate_all("all => all.map(row => row.getBoundingClientRect().bottom)")
    assert sum(bottom <= 844 for bottom in rows) >= 5
    for place in ("", "/pairs", "/compare?pair=bm25&against=hybrid&on=D01.1&edition=train", "/run?run=bm25", "/figures"):
        page.goto(f"/leaderboard{place}")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390, place
    assert page.locator(".board-parts [aria-current]").evaluate("tab => tab.getBoundingClientRect().right") <= 390


def test_print_keeps_names_and_headings(page: Page) -> None:
    page.goto("/leaderboard?edition=test")
    page.emulate_media(media="print")
    expect(page.locator(".board-form")).to_be_hidden()
    for part in (page.locator(".board thead th"), page.locator(".board tbody .board-run a")):
        for element in part.all():
            expect(element).to_be_visible()
    assert page.locator(".board-scrolls").evaluate("one => getComputedStyle(one).overflow") == "visible"


def test_a_figure_is_saved_as_png(page: Page) -> None:
    page.goto("/leaderboard/figures?edition=test")
    with page.expect_download() as waiting:
        page.get_by_role("group", name="Means with confidence intervals").get_by_role("button", name="PNG").click()
    assert waiting.value.suggested_filename == "means.png"
    data = Path(waiting.value.path()).read_bytes()
    assert data.startswith(b"\x89PNG")
    width = int.from_bytes(data[16:20], "big")
    assert width == 1280
