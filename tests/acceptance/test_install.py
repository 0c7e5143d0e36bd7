"""tools/install.py: how far pip is, and what it said if it fails."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.install import Progress

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "install.py"


def test_steps_of_pip_are_understood() -> None:
    progress = Progress()
    for line, state in (
        ("Looking in indexes: https://pypi.org/simple\n", "starting"),
        ("Collecting torch==2.13.0 (from -c constraints.txt (line 3))\n", "collecting torch==2.13.0"),
        ("  Downloading https://host/a/b/torch-2.13.0-cp311.whl (180 MB)\n", "downloading torch-2.13.0-cp311.whl"),
        ("  Using cached numpy-2.1.whl (16 MB)\n", "using cached numpy-2.1.whl"),
    ):
        progress.heard(line)
        assert progress.state().endswith(f"s  {state}")
    progress.heard("Installing collected packages: numpy, torch, click\n")
    assert re.search(r"s  installing: 0 of 3 packages$", progress.state())


def test_a_failure_prints_what_pip_said() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--no-index", "no-such-package-of-anybody"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "No matching distribution found for no-such-package-of-anybody" in done.stderr


def test_what_is_there_is_installed_at_once() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--no-index", "click"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"installed in \d+ s\n", done.stdout)
