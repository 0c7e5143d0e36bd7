"""Every view of the page can be used by people who see little or hear the page, and on a phone: axe-core finds nothing serious."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from stcollection.explore.navigation import entries
from stcollection.explore.views import views
from tools.pictures import VIEWS, open_view

pytestmark = pytest.mark.slow
MOST_SHIFT = 0.05  # of the layout, while a view is loaded
WATCH_SHIFT = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def test_every_entry_of_the_navigation_has_a_picture() -> None:
    assert {view.tab for view in VIEWS.values()} == {entry.name for entry in entries((view.name, view.title) for view in views())}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_nothing_serious_nothing_moves_and_a_phone_needs_no_scrolling_to_the_side(
    browser: Browser, explorer: str, name: str, theme: str
) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=theme)  # type: ignore[arg-type]
    page.add_init_script(WATCH_SHIFT)
    open_view(page, explorer, VIEWS[name])
    shift = page.evaluate("() => window.shift")
    found = Axe().run(page).response["violations"]
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    width = page.evaluate("() => document.documentElement.scrollWidth")
    page.close()
    assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []
    assert width <= 390
    assert shift <= MOST_SHIFT


STATE_AFTER = """
(selector) => new Promise((done) => {
  const link = document.querySelector(selector);
  if (selector.includes(".csv")) link.addEventListener("click", (event) => event.preventDefault());
  link.click();
  setTimeout(() => done([document.documentElement.hasAttribute("data-busy"), document.getElementById("main").ariaBusy]), 100);
})
"""


def test_a_page_under_way_says_so_and_a_download_does_not(browser: Browser, explorer: str) -> None:
    page = browser.new_page(base_url=explorer)
    page.goto("/search?q=voice&system=bm25")
    assert page.evaluate(STATE_AFTER, "a[href*='/search.csv']") == [False, "false"]
    page.route("**/leaderboard", lambda _: None)  # the answer does not come
    assert page.evaluate(STATE_AFTER, "a[href='/leaderboard']") == [True, "true"]
    page.close()


def test_twenty_results_fit_on_a_laptop_screen(browser: Browser, explorer: str) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    open_view(page, explorer, VIEWS["search"])
    page.get_by_role("button", name="Compact list").click()
    bottoms = page.locator(".stc-result").evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")
    assert len(bottoms) == 20
    assert max(bottoms) <= 900
    page.reload()
    page.get_by_role("button", name="Compact list", pressed=True).wait_for()  # the browser remembers it
    page.get_by_role("button", name="Why").first.click()
    page.locator(".stc-bars").first.wait_for()
    page.close()
