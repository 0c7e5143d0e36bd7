"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from stcollection.counts import counted


@pytest.mark.parametrize(
    ("number", "one", "told"),
    [
        (1, "query", "1 query"),
        (0, "query", "0 queries"),
        (2000, "query", "2,000 queries"),
        (2, "day", "2 days"),
        (3, "relevant pair", "3 relevant pairs"),
    ],
)
def test_nouns_are_singular_or_plural(number: int, one: str, told: str) -> None:
    assert counted(number, one) == told


def test_a_plural_of_its_own() -> None:
    assert counted(2, "system has", "systems have") == "2 systems have"
    assert counted(1, "system has", "systems have") == "1 system has"
