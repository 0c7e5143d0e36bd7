"""An embedded server of the tests' own, whose processes may be killed."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability.disturbed import Undisturbed
from tests.durability.servers import Server

MEMORY = Path("/dev/shm")  # noqa: S108


@pytest.fixture(scope="session")
def own() -> Iterator[Server]:
    """A running server that flushes what it commits; not the session's, which does not.

    Its data is in memory where that can be had: what a killed process had written is with the kernel, there as on a disk, and a
    start after a crash flushes all files, which takes seconds on a disk and nothing there.
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
    """Of moments. ``STC_TEST_SEED`` brings back those of a run that failed."""
    seed = os.environ.get("STC_TEST_SEED") or str(random.SystemRandom().randrange(10**9))
    print(f"STC_TEST_SEED={seed}")
    return random.Random(seed)


@pytest.fixture(scope="session")
def undisturbed(own: Server, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return Undisturbed(own, tmp_path_factory.mktemp("files"))
