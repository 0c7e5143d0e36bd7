"""Check that wheels of all dependencies exist for other Python versions, by resolving them with pip --dry-run.

python tools/resolve.py 3.12 3.13 3.14
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
# Pure Python packages without wheels: pip can build them, but cannot resolve them for another Python version.
SOURCE_ONLY = ("readability", "cwl-eval")


def resolves(python: str) -> bool:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]  # dev refers to the other extras through the project itself
    wanted = [*project["dependencies"], *(one for name, several in extras.items() if name != "bench" for one in several)]
    wanted = [one for one in wanted if not one.startswith((project["name"], *SOURCE_ONLY))]
    with tempfile.TemporaryDirectory() as target:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--only-binary=:all:", "--target", target),
                *("--python-version", python, "-c", str(REPOSITORY / "constraints.txt"), *wanted),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    print(f"Python {python}: {'all wheels exist' if done.returncode == 0 else '; '.join(errors) or done.returncode}")
    return done.returncode == 0


if __name__ == "__main__":
    results = [resolves(version) for version in sys.argv[1:] or ["3.12", "3.13", "3.14"]]
    sys.exit(0 if all(results) else 1)
