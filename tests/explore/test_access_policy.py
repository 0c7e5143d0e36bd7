"""The Content-Security-Policy allows no inline script or style, and no view violates it in a real browser."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Browser

from stcollection.explore.guard import POLICY
from tools.pictures import VIEWS, open_view

pytestmark = pytest.mark.slow

WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", one => violations.push(one.effectiveDirective + " " + one.blockedURI));
"""


def test_the_policy_and_the_other_headers(explorer: str) -> None:
    for path in ("", "api", "no/such/page"):
        answer = httpx.get(explorer + path, timeout=60)
        policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
        if path != "api":  # its own policy has no scripts
            assert policy["script-src"] == policy["style-src"] == "'self'"
            assert policy["script-src-attr"] == policy["object-src"] == "'none'"
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
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
    for view in VIEWS.values():
        open_view(page, explorer, view)
        assert page.evaluate("() => violations") == []
    page.close()


def test_the_policy_stops_what_a_text_could_add(browser: Browser, explorer: str) -> None:
    page = browser.new_page(base_url=explorer)
    page.add_init_script(WATCH)
    page.goto("/collection")
    page.evaluate("() => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.owned=1\">')")
    page.wait_for_function("() => violations.some(one => one.startsWith('script-src-attr'))")
    assert page.evaluate("() => window.owned") is None
    page.close()
