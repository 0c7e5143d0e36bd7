"""The demo collection, made once by ``stc demo``. Each page gets a copy of the server."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.docs.pages import REPOSITORY
from tests.docs.walk import Walk, walking
from tests.homes import copy_home, home_folder


class Begin(Protocol):
    def __call__(self) -> Walk: ...


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the commands ``stc`` and ``python`` of this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    for name, more in (("stc", " -m stcollection"), ("python", "")):
        (folder / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{more} "$@"\n')
        (folder / name).chmod(0o755)
    return folder


def _environment(home: Path, programs: Path) -> dict[str, str]:
    return {
        "STC_TEST_DATA": str(REPOSITORY.parent / "shared" / "data"), **os.environ,
        "STC_HOME": str(home), "STC_DB": "demo", "PYTHONPATH": str(REPOSITORY), "COLUMNS": "130",
        "PYTHONUNBUFFERED": "1", "PATH": f"{programs}:{os.environ['PATH']}",
    }  # fmt: skip


@pytest.fixture
def walk(made_demo: Callable[[], Path], programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """A walk in an empty folder, where ``stc`` reaches a copy of the demo."""
    folder = tmp_path_factory.mktemp("page")
    folder.chmod(0o755)  # where root runs the tests, a system user runs the server
    work, state = folder / "work", folder / "state"
    work.mkdir()
    state.mkdir()
    with home_folder() as home:
        copy_home(made_demo(), home)
        with walking(work, state, _environment(home, programs)) as walk:
            yield walk
    shutil.rmtree(folder)
