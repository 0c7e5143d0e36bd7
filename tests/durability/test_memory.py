"""Little memory: commands use temporary files and get the same results; a session without memory fails, and the server stays."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
import psycopg
import pytest

from stcollection.db.settings import Settings
from tests.at_once import until
from tests.databases import world
from tests.durability import rivals
from tests.durability.commands import COMMANDS
from tests.durability.rivals import Command, contents, held, here, same, trec, waiting

pytestmark = pytest.mark.slow

LITTLE = "-c work_mem=64kB -c hash_mem_multiplier=1 -c temp_buffers=800kB -c maintenance_work_mem=1MB"
MEGABYTE = 2**20
stocked = world(rivals.stocked)


@pytest.mark.parametrize("name", COMMANDS)
def test_with_little_memory_the_result_is_the_same(
    name: str, settings: Settings, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path
) -> None:
    words = COMMANDS[name][1](tmp_path, ids)
    Command(settings, tmp_path, *words, PGOPTIONS=LITTLE).ends()
    here(twin, *words)
    same(stocked, twin)


def test_hashes_and_sorts_of_a_large_run_go_to_disk(
    settings: Settings, stocked: psycopg.Connection, twin: str, tmp_path: Path
) -> None:
    file = trec(tmp_path / "large.run", [f"n{n}" for n in range(4000)])
    words: list[str | Path] = ["runs", "import", "--unknown-docs", "stub", file]
    written = "SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()"
    before = stocked.execute(written).fetchone()
    Command(settings, tmp_path, *words, PGOPTIONS=LITTLE).ends()
    until(lambda: stocked.execute(written).fetchone() != before)
    here(twin, *words)
    same(stocked, twin)


def _limit(backend: psutil.Process) -> None:
    """Let the process allocate 2 MB more. The kernel allows this to the same user only."""
    space = backend.memory_info().vms + 2 * MEGABYTE
    uid, gid = backend.uids().real, backend.gids().real
    subprocess.run(["prlimit", f"--pid={backend.pid}", f"--as={space}"], check=True, user=uid, group=gid, cwd="/")


def test_a_session_without_memory(settings: Settings, stocked: psycopg.Connection, tmp_path: Path) -> None:
    """The address space of the session is limited while the command waits for a lock."""
    before = contents(stocked)
    file = trec(tmp_path / "large.run", [f"n{n}" for n in range(60_000)])
    words: list[str | Path] = ["runs", "import", "--unknown-docs", "stub", file]
    with held(stocked, "stc.st1_rankings"):
        command = Command(settings, tmp_path, *words, PGOPTIONS="-c work_mem=256MB")
        until(lambda: waiting(stocked) or command.process.poll() is not None, seconds=120)
        [pid] = waiting(stocked)
        _limit(psutil.Process(pid))
    command.refused("out of memory", "work_mem")
    assert contents(stocked) == before
    Command(settings, tmp_path, *words).ends()
