"""The limits of a model's requests, over several batches of questions."""

from __future__ import annotations

import time

from stcollection.llm.budget import Budget


def test_the_clock_goes_on_in_the_next_batch() -> None:
    budget = Budget(seconds=100)
    budget.start()
    assert budget.may_call()
    left = budget.seconds_left
    time.sleep(0.01)
    budget.start()
    assert left is not None
    assert budget.seconds_left is not None
    assert budget.seconds_left < left
