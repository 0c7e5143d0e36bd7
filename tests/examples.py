"""How many of their cases property tests and tests of whole catalogues try: a quarter, or all."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

SHARE = 4
LEAST = 10  # cases of each test, unless there are fewer
Case = TypeVar("Case")


def few(number: int) -> int:
    """A quarter of the number, or the number itself if STC_TEST_EXAMPLES is ``all``, as in ``make long``."""
    return number if os.environ.get("STC_TEST_EXAMPLES") == "all" else min(number, max(LEAST, number // SHARE))


def examples(number: int) -> settings:
    """Settings of a property test with this many examples."""
    return settings(max_examples=few(number))


def draw(cases: Iterable[Case]) -> list[Case]:
    """A random quarter of the cases, in their order, which differs from run to run; or all cases."""
    every = list(cases)
    return [every[place] for place in sorted(random.sample(range(len(every)), few(len(every))))]
