"""The Content-Security-Policy allows no inline script, and no tab violates it in a real browser."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Browser, Page

from stcollection.explore.guard import with_files
from stcollection.explore.navigation import TABS as TITLES
from stcollection.explore.page import TABS
from stcollection.explore.views import POLICY, views
from tools.pictures import VIEWS, open_view

pytestmark = pytest.mark.slow

WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", one => violations.push(one.effectiveDirective + " " + one.blockedURI));
"""


def test_inline_scripts_become_files_in_their_order() -> None:
    html, files = with_files(
        '<script type="application/json">{}</script><script>1</script><script src="a.js"></script><script>2</script>'
    )
    first, second = files
    assert html == (
        '<script type="application/json">{}</script>'
        f'<script src="{first}"></script><script src="a.js"></script><script src="{second}"></script>'
    )
    assert list(files.values()) == ["1", "2"]


def test_the_policy_and_the_other_headers(explorer: str) -> None:
    for path in ("", "api", "no/such/page"):
        answer = httpx.get(explorer + path, timeout=60)  # may load Shiny
        policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
        assert policy["script-src"] == "'self'"
        assert policy["script-src-attr"] == policy["object-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["default-src"] == "'none'"
        assert "unsafe-eval" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert "camera=()" in answer.headers["permissions-policy"]


def test_views_allow_no_inline_styles_either(browser: Browser, explorer: str) -> None:
    assert httpx.get(explorer + "search").headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    page = browser.new_page()
    page.add_init_script(WATCH)
    for name in (one for one, view in VIEWS.items() if view.tab in {view.name for view in views()}):
        open_view(page, explorer, VIEWS[name])
        assert page.evaluate("() => violations") == []
    page.close()


def test_a_script_that_the_page_does_not_name_is_not_found(explorer: str) -> None:
    assert httpx.get(explorer + "inline/0123456789abcdef.js").status_code == 404
    assert httpx.get(explorer + "inline/..%2f..%2fexplore.js").status_code == 404


def test_no_tab_violates_the_policy(browser: Browser, explorer: str) -> None:
    page = browser.new_page(base_url=explorer, viewport={"width": 1200, "height": 900})
    page.set_default_timeout(20_000)
    page.add_init_script(WATCH)
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    for tab in TABS:
        page.goto(f"/?tab={tab.NAME}")
        _connected(page)
        page.wait_for_function("() => !document.documentElement.classList.contains('shiny-busy')")
        page.wait_for_timeout(1000)  # figures and further elements are drawn after the first answer
        assert page.evaluate("() => violations") == []
    page.evaluate("() => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.owned=1\">')")
    page.wait_for_function("() => violations.some(one => one.startsWith('script-src-attr'))")
    assert page.evaluate("() => window.owned") is None
    page.close()
    assert [
        one for one in errors if "Content Security Policy" in one and "onerror" not in one and "inline event handler" not in one
    ] == []


def _connected(page: Page) -> None:
    page.wait_for_function("() => window.Shiny && Shiny.shinyapp && Shiny.shinyapp.isConnected()")
