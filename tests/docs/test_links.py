"""What a page links to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import REPOSITORY, name

_LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")


def _anchors(page: Path) -> set[str]:
    """The anchors of its headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))], ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for link in _LINK.findall(text):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            broken.append(link)
    assert broken == []


def test_the_table_of_contents_has_every_page() -> None:
    contents = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
    linked = set(_LINK.findall(contents))
    assert {page.name for page in (REPOSITORY / "docs").glob("*.md")} - {"README.md"} <= linked
