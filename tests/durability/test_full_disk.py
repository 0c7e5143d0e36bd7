"""The disk becomes full in the middle of each step: the data is on a small file system in memory.

These tests need root on Linux. Otherwise they are skipped, or fail if CI is set.
"""

from __future__ import annotations

import random
import shutil
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from stcollection.db.embedded import EmbeddedServer
from tests.durability.disks import MEGABYTE, full_but_for, judge
from tests.durability.disturbed import MORE_KILLS, Disturbed, Undisturbed
from tests.durability.life import NAMES
from tests.durability.servers import Server
from tests.durability.test_embedding_cut import COMMAND, TEXTS, embedded
from tests.text.documents import put

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def life(small: Server, undisturbed: Undisturbed, draw: random.Random) -> Disturbed:
    """The undisturbed collection is on a disk with free space, the other one on the small disk."""
    return Disturbed(small, undisturbed, draw)


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_and_run_again_it_ends_as_if_undisturbed(name: str, life: Disturbed, small: Server, disk: Path) -> None:
    number = NAMES.index(name)
    life.reach(number)
    refused = 0
    room = [3.0] if name in ("load", "vectors import") else []
    for free in [*room, 0.0, *(life.draw.uniform(0, 24) for _ in range(MORE_KILLS))]:
        with small.connect(life.db) as conn:
            conn.execute("CHECKPOINT")
        with full_but_for(disk, int(free * MEGABYTE)):
            end = small.run(life.db, *life.undisturbed.steps[number].command)
            if end.code != 0:
                judge(end)
                refused += 1
        life.check(number)
        if end.code == 0:
            break
    assert refused, "the disk was never full"
    life.finish(number)


def test_embedding_on_a_full_disk(small: Server, disk: Path) -> None:
    small.done("embed", "db", "create", "embed")
    with small.connect("embed") as conn:
        put(conn, TEXTS)
        conn.execute("CHECKPOINT")
    with full_but_for(disk, 0):
        judge(small.run("embed", *COMMAND))
    kept = embedded(small, "embed")
    assert kept < len(TEXTS)
    end = small.done("embed", *COMMAND)
    assert f"embedded {len(TEXTS) - kept:,} documents" in end.out
    assert embedded(small, "embed") == len(TEXTS)
    small.done("embed", "db", "drop", "embed", "--yes")


def test_a_dump_and_an_exported_run_on_a_full_disk(life: Disturbed, small: Server, disk: Path) -> None:
    """The server has space: only the disk to which the command writes is full."""
    own = life.undisturbed.server
    life.undisturbed.reach(NAMES.index("runs import") + 1)
    db = life.undisturbed.db
    for made, command in (
        (disk / "dump", ("db", "dump", disk / "dump")),
        (disk / "a.run", ("runs", "export", "run0", "--out", disk / "a.run")),
    ):
        with full_but_for(disk, 4096):
            judge(own.run(db, *command))
        assert not made.is_file()
        assert not (made / "manifest.json").exists()
        own.done(db, *command)


def test_a_disk_full_of_the_servers_own_log(small: Server, disk: Path) -> None:
    """The worst case: PostgreSQL cannot write its WAL for a commit and stops immediately."""
    small.done("log", "db", "create", "log")
    with small.connect("log") as conn:  # the disk still has space for some more rows
        conn.execute("INSERT INTO st1_topics (topic) VALUES ('first')")
    kept = 1
    with full_but_for(disk, 0):
        with small.connect("log") as conn, suppress(psycopg.Error):
            while kept < 1000:
                conn.execute("INSERT INTO st1_topics (topic) VALUES (%s)", [f"t{kept}"])
                kept += 1
                conn.execute("SELECT pg_switch_wal()")  # a file of 16 MB at a time
        end = small.run("log", "corpus", "status")
        if end.code != 0:
            judge(end)
    with small.connect("log") as conn:
        [[found]] = conn.execute("SELECT count(*) FROM st1_topics").fetchall()
    assert kept <= found <= kept + 1
    assert 1 < kept < 1000


def test_a_server_that_cannot_start_on_a_full_disk_says_so(small: Server, disk: Path) -> None:
    small.stop()  # first, because a stop frees space
    with full_but_for(disk, 0):
        judge(small.run("postgres", "db", "start"))
        judge(small.run("disturbed", "corpus", "status"))
    small.done("postgres", "db", "start")


def test_a_first_start_on_a_full_disk(disk: Path) -> None:
    fresh = Server(disk / "fresh")
    with full_but_for(disk, 8 * MEGABYTE):
        judge(fresh.run("postgres", "db", "start"))
        assert not EmbeddedServer(fresh.home).data.exists()
    fresh.done("postgres", "db", "start")
    fresh.stop()
    shutil.rmtree(fresh.home)
