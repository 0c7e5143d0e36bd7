"""Data folders of servers: in memory where there is room, and the demo collection, made once per run of pytest."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from filelock import FileLock

from stcollection.db.collections import collections, drop
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from tests.in_process import in_new_words

MEMORY = Path("/dev/shm")  # noqa: S108
ROOM = 6 << 30  # bytes that must be free there
PREFIX = "stc-test-"


@contextmanager
def home_folder() -> Iterator[Path]:
    """A folder for a server's data. It is in memory if that has room: most time of a clone is spent on writing files."""
    memory = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM
    if memory:
        _remove_abandoned()
    home = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=MEMORY if memory else None))
    home.chmod(0o755)  # if root runs the tests, a system user runs the server
    try:
        yield home
    finally:
        EmbeddedServer(home).stop()
        shutil.rmtree(home, ignore_errors=True)


def _remove_abandoned() -> None:
    """Remove the folders of processes that were killed."""
    for folder in MEMORY.glob(f"{PREFIX}*"):
        process = folder.name.removeprefix(PREFIX).partition("-")[0]
        if process.isdigit() and not Path("/proc", process).exists():
            with suppress(StateError, OSError):  # another process of these tests removes it at the same time
                EmbeddedServer(folder).stop()
            shutil.rmtree(folder, ignore_errors=True)


def make_once(folder: Path, make: Callable[[], object]) -> bool:
    """Make a folder that all processes of this run use, if no other one has. :returns: whether this process made it."""
    made = folder.with_name(f"{folder.name}.made")
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if made.exists():
            return False
        make()
        made.touch()
        return True


def make_demo(shared: Path) -> Path:
    """The data of a stopped server with the collection ``demo``. The first process that needs it runs ``stc demo``.

    :param shared: a folder that all processes of this run use.
    """
    home = shared / "demo"

    def make() -> None:
        home.mkdir(exist_ok=True)
        home.chmod(0o755)
        for words in (["demo"], ["db", "stop"]):
            run({**os.environ, "STC_HOME": str(home)}, *words)

    make_once(home, make)
    return home


def share_home(shared: Path, home: Path, make: Callable[[], None]) -> None:
    """Fill ``home`` with the data of a stopped server: by ``make`` in the first process of this run, by a copy in all others.

    :param shared: the copy, in a folder that all processes of this run use.
    """

    def make_both() -> None:
        make()
        shared.mkdir(exist_ok=True)
        copy_home(home, shared)

    if not make_once(shared, make_both):
        copy_home(shared, home)


def copy_home(source: Path, target: Path) -> None:
    """Copy the data of a stopped server, with its owners."""
    subprocess.run(["cp", "-a", f"{source}/.", str(target)], check=True)
    target.chmod(0o755)


@contextmanager
def demo_collection(server: Settings, made: Callable[[], Path], name: str) -> Iterator[Settings]:
    """A demo collection: on a copy of the server that ``make_demo`` left, or on the server of ``STC_TEST_DSN``.

    :param name: its name on the server of ``STC_TEST_DSN``.
    """
    if server.dsn is None:
        with home_folder() as home:
            copy_home(made(), home)
            yield Settings(db="demo", home=home, dsn=None)
        return
    settings = replace(server, db=name)
    run({**os.environ, "STC_DSN": server.dsn}, "--db", name, "demo")
    yield settings
    if name in {one.name for one in collections(settings)}:
        drop(settings)


def run(environment: dict[str, str], *words: str) -> None:
    """Run ``stc`` in a separate process."""
    done = subprocess.run(
        [sys.executable, "-m", "stcollection", *in_new_words(words)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
