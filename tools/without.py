"""Run commands and tests in a copy of the tree without a study: ``.venv/bin/python -m tools.without answers [TEST]...``.

Without TEST, runs all tests that are not long. Tests that name the study or one of its tables are left out, and so are those that
need a checkout.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from stcollection.plugins import studies

ROOT = Path(__file__).parents[1]


def copy(study: str, to: Path) -> list[str]:
    """Copy the tree without a study. :returns: the files of tests that were left out, as they need it."""
    [described] = [one for one in studies() if one.name == study]
    tables = "|".join(table.name for table in described.tables)
    named = re.compile(rf"\bstudies[./]{study}\b|^(?!from ).*\b({tables})\b", re.MULTILINE)  # modules of the core are no tables
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    left_out = []
    for file in listed.stdout.splitlines():
        path = ROOT / file
        if not path.is_file() or re.match(rf"(stcollection|tests)/studies/{study}/", file):
            continue
        if re.match(r"tests/.*/?test_\w+\.py$", file):
            text = path.read_text(encoding="utf-8")
            if named.search(text) or '"git"' in text:  # a copy is no checkout
                left_out.append(file)
                continue
        (to / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, to / file)
    return left_out


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy. :param words: its arguments. :raises CalledProcessError: it fails."""
    environment = os.environ | {"PYTHONPATH": str(folder)} | variables
    try:
        return subprocess.run([sys.executable, *words], cwd=folder, env=environment, text=True, check=True, capture_output=True)
    except subprocess.CalledProcessError as error:
        error.add_note(f"{error.stdout[-5000:]}{error.stderr}")
        raise


def main() -> int:
    study, *tests = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix=f"without-{study}-") as name:
        folder = Path(name)
        print(f"left out, as they need {study} or a checkout: {', '.join(copy(study, folder))}")
        command = [sys.executable, "-m", "pytest", "-q", "-n", os.environ.get("JOBS", "2"), "--dist", "loadfile", "-m", "not long"]
        return subprocess.run([*command, *tests], cwd=folder, env=os.environ | {"PYTHONPATH": name}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
