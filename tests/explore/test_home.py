"""The home tab: counts, problems with their commands, links that open other tabs, back and forward."""

from __future__ import annotations

import re

import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.analysis.contents import overview, problems
from stcollection.explore.home.tab import summary

pytestmark = pytest.mark.slow


def test_the_summary_has_the_counts(page: Page, demo_conn: psycopg.Connection) -> None:
    found = overview(demo_conn)
    documents = demo_conn.execute("SELECT count(*) FROM documents").fetchone()
    assert documents is not None
    assert summary(found).startswith(f"{documents[0]} documents from 1988 to 2024")
    expect(page.locator(".stc-home .lead")).to_have_text(summary(found))
    expect(page.locator(".stc-healthy")).to_contain_text("complete")
    assert found.problems == []


def test_problems_name_their_commands() -> None:
    assert [one.action for one in problems(0, {}, [])] == ["stc load FOLDER"]
    assert [one.action for one in problems(3, {"built": None}, [])] == ["stc text index", "stc vectors embed"]
    stale = problems(3, {"built": "today", "sound": False, "stale": True}, [])
    assert "stale" in stale[0].what


def test_a_link_opens_its_tab_and_back_returns(page: Page) -> None:
    opened = page.evaluate("() => performance.timeOrigin")
    page.get_by_role("region", name="Organise").get_by_role("link", name="Files, editions").click()
    expect(page.get_by_role("tab", name="Collection")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile("tab=collection"))
    page.get_by_role("tab", name="Map").click()
    expect(page).to_have_url(re.compile("tab=map"))
    page.go_back()
    expect(page.get_by_role("tab", name="Collection")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(page.get_by_role("tab", name="Home")).to_have_attribute("aria-selected", "true")
    page.go_forward()
    expect(page.get_by_role("tab", name="Collection")).to_have_attribute("aria-selected", "true")
    assert page.evaluate("() => performance.timeOrigin") == opened  # never loaded again


def test_the_theme_is_remembered(page: Page) -> None:
    button = page.get_by_role("button", name="Theme")
    expect(button).to_have_text("Theme: system")
    button.click()
    button.click()
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    expect(page.get_by_role("button", name="Theme")).to_have_text("Theme: dark")
