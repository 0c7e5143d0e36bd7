"""Links between pages lead to an existing page and heading. ``make docs`` writes the reference, and checks the links to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import GENERATED, REPOSITORY, name, pages

_LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", pages(), ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for link in _LINK.findall(text):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        if GENERATED in target.parents and page != pages()[0]:  # README.md is not on the site
            continue
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            broken.append(link)
    assert broken == []


def test_the_index_links_every_page() -> None:
    index = REPOSITORY / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in pages() if REPOSITORY / "docs" in page.parents} - {index} <= linked


def test_there_are_few_enough_pages_to_find_one() -> None:
    assert len([page for page in pages() if REPOSITORY / "docs" in page.parents]) <= 37
