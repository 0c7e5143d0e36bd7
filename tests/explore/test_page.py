"""The page opens in a real browser, loads files only from this server, and refuses other hosts."""

from __future__ import annotations

import gzip
import re
from html import unescape

import httpx
import pytest
from playwright.sync_api import Page

from stcollection.explore.views import views

pytestmark = pytest.mark.slow


def test_each_view_says_what_is_simulated(page: Page) -> None:
    note = page.get_by_role("note").filter(has_text="Simulated: judgments of the editions test, train; grades by 6 annotators.")
    for path in ("/collection", "/search"):
        page.goto(path)
        note.wait_for()


def test_nothing_comes_from_elsewhere(page: Page, explorer: str) -> None:
    addresses = page.evaluate("() => performance.getEntriesByType('resource').map(one => one.name)")
    assert addresses
    assert [one for one in addresses if not one.startswith((explorer, "data:", explorer.replace("http:", "ws:")))] == []


def test_another_name_and_another_page_are_refused(explorer: str) -> None:
    assert httpx.get(explorer).status_code == 200
    assert httpx.get(explorer, headers={"Host": "rebound.example"}).status_code == 421
    assert httpx.get(explorer, headers={"Origin": "http://elsewhere.example"}).status_code == 403
    policy = httpx.get(explorer).headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


@pytest.mark.parametrize("name", [view.name for view in views()])
def test_a_first_visit_is_light(explorer: str, name: str) -> None:
    def received(path: str) -> tuple[int, str]:
        with httpx.stream("GET", explorer.rstrip("/") + path, headers={"accept-encoding": "gzip"}, timeout=60) as answer:
            assert answer.status_code == 200
            raw = b"".join(answer.iter_raw())
        packed = answer.headers.get("content-encoding") == "gzip"
        return len(raw), (gzip.decompress(raw) if packed else raw).decode()

    size, html = received(f"/{name}")
    files = {*re.findall(r'(?:src|href)="(/static/[^"]+)"', html), *re.findall(r'(?:src|hx-get)="(/[^"]+\.svg[^"]*)"', html)}
    assert any("page" in file for file in files)
    assert len(files) + 1 <= 10
    assert size + sum(received(unescape(file))[0] for file in files) <= 150_000
    assert re.findall(r"<[^>]+ (?:style|on[a-z]+)=|<script(?![^>]* src=)[^>]*>", html) == []
