"""A separate embedded server, whose processes the tests may kill, and a second collection besides that of the test."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from tests.databases import Databases
from tests.durability import rivals
from tests.durability.disks import SIZE
from tests.durability.disturbed import Undisturbed
from tests.durability.servers import Server

MEMORY = Path("/dev/shm")  # noqa: S108


@pytest.fixture(scope="session")
def own() -> Iterator[Server]:
    """A running server that flushes every commit, unlike the server of the test session.

    Its data is in memory if possible: the kernel keeps the writes of killed processes there as it does on a disk, and flushing all
    files after a crash takes seconds on a disk but no time in memory.
    """
    home = Path(tempfile.mkdtemp(prefix="stc-own-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
    home.chmod(0o755)
    server = Server(home)
    server.start()
    with server.connect("postgres") as conn:
        assert conn.execute("SELECT current_setting('fsync'), current_setting('full_page_writes')").fetchone() == ("on", "on")
    yield server
    server.stop()
    shutil.rmtree(home)


@pytest.fixture(scope="session")
def draw() -> random.Random:
    """Random generator for moments. ``STC_TEST_SEED`` repeats those of a failed run."""
    seed = os.environ.get("STC_TEST_SEED") or str(random.SystemRandom().randrange(10**9))
    print(f"STC_TEST_SEED={seed}")
    return random.Random(seed)


@pytest.fixture(scope="session")
def undisturbed(own: Server, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return Undisturbed(own, tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A mounted file system of SIZE, always unmounted at the end."""
    folder = tmp_path_factory.mktemp("disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=755", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        why = f"no file system can be mounted here: {mounted.stderr.strip()}"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(f"A FULL DISK IS NOT TESTED: {why}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="module")
def small(disk: Path) -> Iterator[Server]:
    """A server with its data on the small disk; it keeps little WAL, so that the whole sequence of steps fits on the disk."""
    server = Server(disk / "home")
    try:
        server.start()
        with server.connect("postgres") as conn:
            conn.execute("ALTER SYSTEM SET min_wal_size = '32MB'")
            conn.execute("ALTER SYSTEM SET max_wal_size = '64MB'")
            conn.execute("SELECT pg_reload_conf()")
        yield server
    finally:
        (disk / "ballast").unlink(missing_ok=True)
        server.stop()


@pytest.fixture
def ids(conn: psycopg.Connection) -> list[int]:
    """Ids of some documents of a stocked collection."""
    return [row[0] for row in conn.execute("SELECT id FROM dblp WHERE NOT stub ORDER BY id LIMIT 30")]


@pytest.fixture
def twin(databases: Databases, template: str, tmp_path: Path, server: Settings) -> Iterator[str]:
    """The dsn of a second stocked collection, which is not disturbed."""
    name = databases.take(databases.filled(template, rivals.stocked, lambda: tmp_path))
    yield conninfo(replace(server, db=name))
    databases.give_back(name)
