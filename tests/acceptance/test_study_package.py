"""A study of another package is used like ours as soon as the package is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from stcollection.db.settings import Settings
from tests.acceptance.conftest import environment
from tools.without import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """The variables of an environment in which the toy study and one that cannot be imported are installed."""
    for name, place in (("toy", "tests.studies.toy:STUDY"), ("broken", "nowhere.at.all:STUDY")):
        folder = tmp_path / f"stc_{name}-1.5.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: stc-{name}\nVersion: 1.5\n")
        (folder / "entry_points.txt").write_text(f"[stcollection.studies]\n{name} = {place}\n")
    return {"PYTHONPATH": f"{tmp_path}:{ROOT}"}


def test_a_package_adds_commands_tables_and_methods(
    settings: Settings, conn: psycopg.Connection, installed: dict[str, str]
) -> None:
    def python(*words: str) -> subprocess.CompletedProcess[str]:
        variables = environment(settings) | installed
        return subprocess.run([sys.executable, *words], env=variables, capture_output=True, text=True, check=False)

    def stc(*words: str) -> subprocess.CompletedProcess[str]:
        return python("-m", "stcollection", *words)

    listed = stc("show", "studies", "--format", "csv")
    assert "toy,1.5,2,not in this collection: 'stc db upgrade' adds it,Take notes about queries." in listed.stdout
    broken = "the study broken of stc-broken is left out: ModuleNotFoundError: No module named 'nowhere'"
    assert listed.stderr.splitlines() == [broken]
    assert stc("show", "runs").returncode == 0
    assert "'stc db upgrade' installs it" in stc("toy", "count").stderr
    assert broken in stc("db", "upgrade").stderr
    conn.execute("INSERT INTO stc.toy_notes (note) VALUES ('one')")
    assert stc("toy", "count").stdout == "1 notes\n"
    assert "Take notes about queries." in stc("help", "--all").stdout
    assert broken in stc("broken", "list").stderr
    methods = "import stcollection; c = stcollection.open(); print(c.toy.count(), 'toy' in dir(c))"
    assert python("-c", methods).stdout == "1 True\n"
