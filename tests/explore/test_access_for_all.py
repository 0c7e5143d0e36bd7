"""Every tab can be used by people who see little or hear the page: axe-core finds nothing serious, in light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from stcollection.explore.page import TABS

pytestmark = pytest.mark.slow
# A view of the tab with something on it; without one, the tab as it opens.
VIEWS = {"search": "&q=voice+assistants&system=hybrid"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tab", [tab.NAME for tab in TABS])
def test_axe_finds_nothing_serious(browser: Browser, explorer: str, tab: str, theme: str) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=theme)  # type: ignore[arg-type]
    settle(page, f"{explorer}?tab={tab}{VIEWS.get(tab, '')}")
    found = Axe().run(page).response["violations"]
    page.close()
    assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("tab", [tab.NAME for tab in TABS])
def test_a_phone_needs_no_scrolling_to_the_side(browser: Browser, explorer: str, tab: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    settle(page, f"{explorer}?tab={tab}{VIEWS.get(tab, '')}")
    width = page.evaluate("() => document.documentElement.scrollWidth")
    page.close()
    assert width <= 390


def settle(page: Page, address: str) -> None:
    """Open an address and wait until nothing is computed any more."""
    page.goto(address)
    page.wait_for_function("() => window.Shiny && Shiny.shinyapp && Shiny.shinyapp.isConnected()")
    page.wait_for_timeout(1500)
    page.wait_for_function("() => !document.documentElement.matches('.shiny-busy')")
