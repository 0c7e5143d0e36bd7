"""Garbage collection of the page's server: seldom while pages are open, and after some pages were closed."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from stcollection.explore import lean


class Circle:
    """An object that only a search for circles frees."""

    def __init__(self) -> None:
        self.itself = self


def circles() -> int:
    return sum(isinstance(one, Circle) for one in gc.get_objects())


@pytest.fixture
def kept() -> Iterator[None]:
    lean.keep_loaded()
    yield
    lean.keep_nothing()


@pytest.mark.usefixtures("kept")
def test_what_closed_pages_leave_is_freed() -> None:
    Circle()
    assert circles() == 1
    for _ in range(lean._TOGETHER):
        lean.page_closed()
    assert circles() == 0


def test_afterwards_python_collects_as_before(kept: None) -> None:
    before = lean._THRESHOLDS
    assert gc.get_threshold()[2] > 100 * before[2]
    lean.keep_nothing()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
