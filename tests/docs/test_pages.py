"""The commands of the pages run, and print what the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import RUN, Block, blocks, name, pages
from tests.docs.walk import Walk

WAYS = [page for page in pages() if page.name == "README.md" or page.parent.name == "start"]  # test_ways.py
PAGES = [page for page in pages() if page not in WAYS]
NOT_RUN = [(page, block) for page in pages() for block in blocks(page.read_text(encoding="utf-8")) if block.mark == "not run"]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_of_the_page_works(page: Path, walk: Walk) -> None:
    follow(page, walk)


def follow(page: Path, walk: Walk) -> None:
    """Run the blocks of a page and report all that fail."""
    found = blocks(page.read_text(encoding="utf-8"))
    if not any(block.kind in RUN and not block.mark for block in found):
        return  # no block to run
    failed = [f"{name(page)}:{block.line}: {block.first_line}\n{last(told)}" for block, told in walk.follow(found)]
    assert not failed, "\n\n".join(failed)


def last(told: str, lines: int = 30) -> str:
    """Return the last lines of a block's output, which contain its errors."""
    return "\n".join(told.splitlines()[-lines:])


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), NOT_RUN, ids=lambda value: name(value) if isinstance(value, Path) else f"{value.line}")
def test_a_block_that_is_not_run_has_a_reason(page: Path, block: Block) -> None:
    pytest.skip(f"{name(page)}:{block.line} is not run: {' '.join(block.marked.split())}")
