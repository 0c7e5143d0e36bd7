"""The ways through the collection, from the first command to the last: the long pages, in a file of their own that runs beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import name
from tests.docs.test_pages import WAYS, follow
from tests.docs.walk import Walk


@pytest.mark.slow
@pytest.mark.parametrize("page", WAYS, ids=name)
def test_the_way_can_be_gone(page: Path, walk: Walk) -> None:
    follow(page, walk)
