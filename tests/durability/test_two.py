"""Two commands at once."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection.db.settings import Settings
from tests.databases import world
from tests.durability import rivals
from tests.durability.commands import COMMANDS
from tests.durability.rivals import Command, contents, held, here, same, until, waiting

stocked = world(rivals.stocked)


def both_wait(conn: psycopg.Connection, *commands: Command) -> None:
    """Wait until both are in their middle."""
    until(lambda: len(waiting(conn)) >= len(commands) or any(one.process.poll() is not None for one in commands))
    for one in commands:
        assert one.process.poll() is None, f"it was over before:\n{one.out}\n{one.err}"


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_twice_at_once(
    name: str, settings: Settings, stocked: psycopg.Connection, ids: list[int], undisturbed: str, tmp_path: Path
) -> None:
    table, arguments = COMMANDS[name]
    words = arguments(tmp_path, ids)
    with held(stocked, table):
        two = [Command(settings, tmp_path, *words) for _ in range(2)]
        both_wait(stocked, *two)
    for one in two:
        print(name, one.process.wait(), one.out, one.err)
    here(undisturbed, *words)
    same(stocked, undisturbed)
