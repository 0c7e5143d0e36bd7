"""Dump and restore the demo from one server to another and back: the output of commands stays identical."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.homes import copy_home, home_folder
from tests.in_process import run_in_process

pytestmark = pytest.mark.long

SYSTEMS = ("boolean", "bm25", "dense-title", "hybrid")
SAID = (
    *(("evaluation", "leaderboard", "--edition", edition) for edition in ("train", "test")),
    *(("retrieval", "search", "fake news on social media", "--system", system) for system in SYSTEMS),
    ("runs", "list"),
    ("qrels", "editions"),
    ("corpus", "status"),
    ("complexity", "status"),
)  # fmt: skip


@pytest.fixture
def homes(made_demo: Callable[[], Path]) -> Iterator[tuple[Path, Path]]:
    with home_folder() as here, home_folder() as there:
        copy_home(made_demo(), here)
        yield here, there


def stc(home: Path, *arguments: str) -> str:
    done = run_in_process(*arguments, environment={**os.environ, "STC_HOME": str(home)})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_there_and_back(homes: tuple[Path, Path], tmp_path: Path) -> None:
    here, there = homes
    said = [stc(here, "--db", "demo", *command) for command in SAID]
    assert "hybrid" in said[0]
    stc(here, "--db", "demo", "db", "dump", str(tmp_path / "d1"))
    stc(there, "db", "restore", str(tmp_path / "d1"), "--db", "demo")
    assert [stc(there, "--db", "demo", *command) for command in SAID] == said
    stc(there, "--db", "demo", "db", "dump", str(tmp_path / "d2"), "--jobs", "1")
    stc(here, "db", "restore", str(tmp_path / "d2"), "--db", "again", "--jobs", "1")
    assert [stc(here, "--db", "again", *command) for command in SAID] == said
    assert "up to date" in stc(here, "--db", "again", "db", "status")
    assert "manual changes" not in stc(here, "--db", "again", "db", "status")
