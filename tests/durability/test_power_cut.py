"""SIGKILL to the server, the command or both, at chosen and random moments of each step."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.durability.disturbed import Disturbed, Undisturbed
from tests.durability.life import NAMES
from tests.durability.servers import Server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def disturbed(own: Server, undisturbed: Undisturbed, draw: random.Random) -> Iterator[Disturbed]:
    life = Disturbed(own, undisturbed, draw)
    yield life
    print(f"killed at work, and survived: {life.amid.total()} times {dict(life.amid)}")


@pytest.mark.parametrize("name", NAMES)
def test_killed_and_run_again_it_ends_as_if_undisturbed(name: str, disturbed: Disturbed) -> None:
    disturbed.disturb(NAMES.index(name))
