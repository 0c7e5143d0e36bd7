"""README.md and the start pages, which take longest; in a separate file, so that they run in parallel with the other pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import name
from tests.docs.test_pages import WAYS, follow
from tests.docs.walk import Walk


@pytest.mark.slow
@pytest.mark.parametrize("page", WAYS, ids=name)
def test_every_block_of_the_page_works(page: Path, walk: Walk) -> None:
    follow(page, walk)
