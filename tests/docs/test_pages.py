"""What the pages tell a reader to type does what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import RUN, Block, blocks, name, pages
from tests.docs.walk import Walk

WAYS = [page for page in pages() if page.name in ("README.md", "first-hour.md", "organiser.md")]  # test_ways.py
PAGES = [page for page in pages() if page not in WAYS]
NOT_RUN = [(page, block) for page in pages() for block in blocks(page.read_text(encoding="utf-8")) if block.mark == "not run"]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_of_the_page_works(page: Path, walk: Walk) -> None:
    follow(page, walk)


def follow(page: Path, walk: Walk) -> None:
    """Run the blocks of a page; tell all that failed."""
    found = blocks(page.read_text(encoding="utf-8"))
    if not any(block.kind in RUN and not block.mark for block in found):
        return  # nothing to type; what is not run is listed below
    failed = [f"{name(page)}:{block.line}: {block.first_line}\n{last(told)}" for block, told in walk.follow(found)]
    assert not failed, "\n\n".join(failed)


def last(told: str, lines: int = 30) -> str:
    """The end of what a block printed, where errors are."""
    return "\n".join(told.splitlines()[-lines:])


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), NOT_RUN, ids=lambda value: name(value) if isinstance(value, Path) else f"{value.line}")
def test_what_is_not_run_says_why(page: Path, block: Block) -> None:
    pytest.skip(f"{name(page)}:{block.line} is not run: {' '.join(block.marked.split())}")
