"""A participant's first visit: from the home tab to a search, an upload, the leaderboard, and a comparison that has an address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.score import leaderboard
from tests.acceptance.conftest import runner
from tests.explore.conftest import serving
from tests.homes import demo_collection

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def own(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """A demo collection of this file."""
    with demo_collection(server, made_demo, "stc_explore_visit") as settings:
        yield settings


@pytest.fixture
def page(browser: Browser, own: Settings) -> Iterator[Page]:
    """The page as it opens; an error of a script fails the test."""
    complaints: list[str] = []
    for address in serving(own):
        page = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=address).new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/")
        yield page
        page.context.close()
    assert complaints == []


def test_search_upload_and_compare(page: Page, own: Settings, tmp_path: Path) -> None:
    # Home says what there is, and a search starts there.
    expect(page.get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")
    page.get_by_text("216").first.wait_for()

    page.get_by_role("link", name="Search").first.click()
    page.get_by_role("textbox", name="Query", exact=True).fill("voice assistants")
    page.keyboard.press("Enter")
    page.locator(".stc-result").first.wait_for()
    assert "q=voice" in page.url

    # A run of another system, with the last query missing, is checked and scored, and then stored.
    printed = runner(own)("runs", "export", "hybrid").stdout.splitlines()
    queries = sorted({line.split()[0] for line in printed})
    path = tmp_path / "mine.run"
    path.write_text("".join(f"{line.rsplit(' ', 1)[0]} mine\n" for line in printed if line.split()[0] != queries[-1]))
    page.get_by_role("link", name="Upload").click()
    page.get_by_label("Choose a file").set_input_files(path)
    page.get_by_role("row", name="train 16 of 16").wait_for()
    page.get_by_role("textbox", name="Team").fill("red")
    page.get_by_role("button", name="Store run").click()
    page.get_by_text("Run mine of team red is stored.").wait_for()

    # The leaderboard has it, with the score that SQL returns.
    page.get_by_role("tab", name="Leaderboard").click()
    page.get_by_label("Edition").first.select_option("train")
    row = page.get_by_role("table", name="Leaderboard of edition train").get_by_role("row").filter(has_text="mine")
    row.wait_for()
    with open_session(conninfo(own)) as conn:
        [standing] = leaderboard(conn, runs=["mine"], edition="train", measures=[nDCG @ 10])
    expect(row).to_contain_text(f"{standing.values[0]:.4f}")

    # Compared with BM25, query by query; the address opens the same comparison for somebody else.
    page.get_by_label("Run", exact=True).select_option("mine")
    page.get_by_label("Compare with", exact=True).select_option("bm25")
    page.get_by_role("table", name="mine against bm25").wait_for()
    page.wait_for_url("**pair=mine**")
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("table", name="mine against bm25").wait_for()
    other.close()
