"""What the process of the page loads: no model, and no packages that compute maps and topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from stcollection.db.settings import Settings
from tests.explore.conftest import started, watched

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="reads /proc")]
HEAVY = ("/torch/", "/sklearn/", "/matplotlib/", "/pandas/")  # not scipy, which tests the differences of the leaderboard


@pytest.fixture
def served(demo: Settings, browser: Browser) -> Iterator[tuple[int, Page]]:
    """The process id of ``stc serve page``, and its page."""
    process, address = started(demo, "--port", "0")
    with watched(browser, address, timeout=120_000) as page:
        yield process.pid, page
    process.terminate()
    assert process.wait(timeout=90) == 0


def loaded(pid: int) -> set[str]:
    """Return which heavy packages have compiled code in a process."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    return {one for one in HEAVY if one in maps}


def children(pid: int) -> list[int]:
    return [int(one) for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()]


def test_only_a_search_by_vectors_loads_a_model(served: tuple[int, Page]) -> None:
    pid, page = served
    page.goto("/")
    page.get_by_text("216").first.wait_for()
    page.goto("/leaderboard")
    page.get_by_role("table", name="Leaderboard of edition test").wait_for()
    page.goto("/judging?pool=demo&annotator=memory")
    page.locator(".stc-paper").wait_for()
    page.goto("/search?q=voice+assistants&system=bm25")
    page.get_by_text("documents, by bm25").wait_for()
    assert (loaded(pid), children(pid)) == (set(), [])
    page.goto("/map")
    page.get_by_role("heading", name="Documents").wait_for()
    page.goto("/coverage?source=D01.C1&documents=50&topics=6")
    page.get_by_role("table", name="Topics of latent").wait_for()
    assert loaded(pid) == set()
    apart = children(pid)
    page.goto("/search?q=voices+that+nobody+embedded&system=hybrid")
    page.get_by_text("documents, by hybrid").wait_for()
    [child] = set(children(pid)) - set(apart)
    assert (loaded(pid), "/torch/" in loaded(child)) == (set(), True)
