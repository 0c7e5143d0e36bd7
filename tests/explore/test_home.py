"""The view Home: counts, problems with their commands, links that open other views, back and forward."""

from __future__ import annotations

import re

import httpx
import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.analysis.contents import overview, problems
from stcollection.explore.home.view import summary

pytestmark = pytest.mark.slow


@pytest.fixture
def page(page: Page) -> Page:
    """The page with Home open."""
    page.goto("/")
    return page


def test_the_summary_has_the_counts(page: Page, demo_conn: psycopg.Connection) -> None:
    seen = overview(demo_conn)
    documents = demo_conn.execute("SELECT count(*) FROM documents").fetchone()
    assert documents is not None
    assert summary(seen).startswith(f"{documents[0]} documents from 1988 to 2024")
    expect(page.locator(".lead")).to_have_text(summary(seen))
    expect(page.locator(".stc-healthy")).to_contain_text("complete")
    expect(page).to_have_title(re.compile("^Home · "))
    assert seen.problems == []


def test_its_record_is_json(explorer: str, demo_conn: psycopg.Connection) -> None:
    seen, record = overview(demo_conn), httpx.get(f"{explorer}home.json").json()
    assert record["size"]["documents"] == seen.size.documents
    assert [edition["edition"] for edition in record["editions"]] == [edition.edition for edition in seen.editions]


def test_problems_name_their_commands() -> None:
    assert [one.action for one in problems(0, {}, [])] == ["stc load FOLDER"]
    assert [one.action for one in problems(3, {"built": None}, [])] == ["stc index", "stc vectors embed"]
    stale = problems(3, {"built": "today", "sound": False, "stale": True}, [])
    assert "stale" in stale[0].what


def test_a_link_opens_its_view_and_back_returns(page: Page) -> None:
    page.get_by_role("region", name="Organise").get_by_role("link", name="Files, editions").click()
    expect(page.get_by_role("heading", name="Collection contents")).to_be_visible()
    expect(page).to_have_url(re.compile("/collection$"))
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Judging").click()
    expect(page.get_by_role("heading", name="Judge a pool", exact=True)).to_be_visible()
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="This collection")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Judge a pool", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Collection contents")).to_be_visible()


def test_the_menu_of_a_phone_closes(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.get_by_role("link", name="Leaderboard").first).to_be_visible()
    search = page.get_by_role("navigation").get_by_role("link", name="Search")
    expect(search).to_be_hidden()
    page.get_by_text("Menu", exact=True).click()
    search.click()
    expect(page).to_have_url(re.compile("/search$"))
    expect(search).to_be_hidden()


def test_the_theme_is_remembered(page: Page) -> None:
    button = page.get_by_role("button", name="Theme")
    expect(button).to_have_text("Theme: system")
    button.click()
    button.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("button", name="Theme")).to_have_text("Theme: dark")
