"""SIGKILL to the server, to the command, to both, at chosen and random moments of each step of a collection's life."""

from __future__ import annotations

import pytest

from tests.durability.disturbed import Lives
from tests.durability.life import NAMES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", NAMES)
def test_killed_and_run_again_it_ends_as_if_undisturbed(name: str, lives: Lives) -> None:
    lives.disturb(NAMES.index(name))

