"""A process for work that needs large packages starts with the work and ends when it is idle."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterator

import pytest

from stcollection.analysis.map.records import MapOptions
from stcollection.db.idle import CallProcess
from stcollection.errors import BadArgument, StateError


@pytest.fixture
def call() -> Iterator[CallProcess]:
    made = CallProcess(idle=60)
    yield made
    made.close()


def test_it_calls_functions_in_another_process(call: CallProcess) -> None:
    assert not call.running
    pid = call(os.getpid)
    assert pid != os.getpid()
    assert call(os.getpid) == pid
    assert call(divmod, 7, 2) == (3, 1)
    assert call(sorted, [1, 2], reverse=True) == [2, 1]


def test_an_error_of_ours_is_raised_and_another_ends_the_process(call: CallProcess) -> None:
    with pytest.raises(BadArgument, match="clusters is 99"):
        call(MapOptions, clusters=99)
    with pytest.raises(StateError, match=r"the process that computes divmod ended \(code 1\)"):
        call(divmod, 1, 0)
    assert call(divmod, 7, 2) == (3, 1)


def test_an_item_that_is_sent_in_part_does_not_reach_the_next(call: CallProcess) -> None:
    with pytest.raises((AttributeError, pickle.PicklingError)):
        call(len, ["y" * 200_000, lambda: 1])
    assert call(len, [1, 2]) == 2


def test_it_ends_when_idle() -> None:
    call = CallProcess(idle=0.1)
    call(os.getpid)
    while call.running:
        time.sleep(0.01)
    call.close()
