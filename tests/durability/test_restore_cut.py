"""SIGKILL and a full disk during a restore: no partial collection appears, and the same command then succeeds."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.durability.disks import full_but_for, judge
from tests.durability.disturbed import MORE_KILLS, VICTIMS, After, Undisturbed, holds
from tests.durability.likeness import answers, check_whole, likeness
from tests.durability.servers import PAUSE, Server, ended, kill

pytestmark = pytest.mark.slow

MOMENTS = ("COPY %", "%CREATE INDEX%", "CALL index_text%", "VACUUM%", "%ADD CONSTRAINT%")
_MADE = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'copy')"


@dataclass(frozen=True)
class Dumped:
    """A dump and its collection."""

    folder: Path
    source: After


@pytest.fixture(scope="module")
def dumped(own: Server, tmp_path_factory: pytest.TempPathFactory) -> Dumped:
    folder = tmp_path_factory.mktemp("handed")
    life = Undisturbed(own, folder, db="source")
    life.reach(2)
    own.done("source", "db", "dump", folder / "dump")
    return Dumped(folder / "dump", life.after[2])


def check(server: Server, dumped: Dumped) -> None:
    with server.connect("copy") as conn:
        check_whole(conn)
        assert likeness(conn) == dumped.source.tables
        assert answers(conn) == dumped.source.found
    with server.connect("postgres") as conn:
        assert conn.execute("SELECT datname FROM pg_database WHERE datname LIKE 'stc_unfinished%'").fetchall() == []
    server.done("copy", "db", "drop", "copy", "--yes")


def test_killed_and_run_again_it_restores(own: Server, dumped: Dumped, draw: random.Random) -> None:
    restore = ("db", "restore", dumped.folder)
    plan = [("server", MOMENTS[0]), ("server", MOMENTS[2]), ("command", draw.choice(MOMENTS))]
    plan += [(draw.choice(VICTIMS), draw.choice(MOMENTS)) for _ in range(MORE_KILLS)]
    for victim, moment in plan:
        process = own.command("copy", *restore)
        wanted = (
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname LIKE 'stc_unfinished%' AND state = 'active'"
            f" AND query LIKE '{moment}')"
        )
        with own.connect("postgres") as conn:
            while process.poll() is None and not holds(conn, wanted):
                time.sleep(PAUSE)
            if victim in ("command", "both"):
                kill(process)
            if victim in ("server", "both"):
                own.cut_power()
        end = ended(process)
        with own.connect("postgres") as conn:
            if holds(conn, _MADE):
                assert end.code == 0 or victim != "server", end
                check(own, dumped)
                continue
        assert end.code != 0, end
        if victim == "server":
            assert ("Traceback" in end.err, "same command again" in end.err) == (False, True), end
    own.done("copy", *restore)
    check(own, dumped)


def test_a_full_disk_and_run_again_it_restores(small: Server, disk: Path, dumped: Dumped, draw: random.Random) -> None:
    for free in [4.0, 24.0, *(draw.uniform(0, 40) for _ in range(MORE_KILLS))]:
        with small.connect("postgres") as conn:
            conn.execute("CHECKPOINT")
        with full_but_for(disk, int(free * 2**20)):
            end = small.run("copy", "db", "restore", dumped.folder)
        if end.code == 0:
            check(small, dumped)
            continue
        judge(end)
        with small.connect("postgres") as conn:
            assert not holds(conn, _MADE)
    small.done("copy", "db", "restore", dumped.folder)
    check(small, dumped)
