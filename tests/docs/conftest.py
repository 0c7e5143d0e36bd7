"""The demo collection, made once by ``stc demo``; each page has a copy of the whole server."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from stcollection.db.embedded import Embedded
from tests.docs.pages import REPOSITORY
from tests.docs.walk import Walk, walking


class Begin(Protocol):
    def __call__(self) -> Walk: ...


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``stc`` and ``python``, those of this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    for name, more in (("stc", " -m stcollection"), ("python", "")):
        (folder / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{more} "$@"\n')
        (folder / name).chmod(0o755)
    return folder


def _environment(home: Path, programs: Path) -> dict[str, str]:
    return {
        **os.environ, "STC_HOME": str(home), "STC_DB": "demo", "PYTHONPATH": str(REPOSITORY), "COLUMNS": "130",
        "PYTHONUNBUFFERED": "1", "PATH": f"{programs}:{os.environ['PATH']}",
    }  # fmt: skip


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Path:
    """The data of a stopped server that holds the demo collection and no other."""
    home = tmp_path_factory.mktemp("demo")
    environment = _environment(home, programs)
    subprocess.run(["stc", "demo"], env=environment, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["stc", "db", "stop"], env=environment, check=True, stdout=subprocess.DEVNULL)
    return home


@pytest.fixture
def walk(demo_home: Path, programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """A reader in an empty folder, whose ``stc`` reaches a copy of the demo."""
    folder = tmp_path_factory.mktemp("page")
    folder.chmod(0o755)  # where root runs the tests, a system user runs the server
    home, work, state = folder / "home", folder / "work", folder / "state"
    work.mkdir()
    state.mkdir()
    subprocess.run(["cp", "-a", str(demo_home), str(home)], check=True)  # with owners, which shutil leaves
    home.chmod(0o755)
    try:
        with walking(work, state, _environment(home, programs)) as walk:
            yield walk
    finally:
        Embedded(home).stop()
        shutil.rmtree(folder)
