"""What to install where a package is missing: the extras of pyproject.toml, as the installed package lists them."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.metadata import PackageNotFoundError, requires

from stcollection.errors import StateError

_REQUIREMENT = re.compile(r"""(?P<name>[A-Za-z0-9._-]+).*\bextra\s*==\s*["'](?P<extra>[^"']+)["']""")
_OTHER_NAMES = {"sklearn": "scikit-learn"}  # of modules that are not called as what brings them
_NOT_FOR_USERS = {"dev", "bench"}


@cache
def _extras() -> dict[str, str]:
    """The extra that brings a package, by the package's normalised name; the smallest where several do."""
    try:
        lines = requires("stcollection") or []
    except PackageNotFoundError:
        return {}
    pairs = [(_normalised(found["name"]), found["extra"]) for found in map(_REQUIREMENT.match, lines) if found is not None]
    sizes = Counter(extra for _, extra in pairs)
    smallest_last = sorted(pairs, key=lambda pair: (sizes[pair[1]], pair[1]), reverse=True)
    return {package: extra for package, extra in smallest_last if extra not in _NOT_FOR_USERS}


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def not_installed(module: str, *, what: str = "this") -> StateError:
    """Return the error for a module that is not installed, with the line that installs it.

    :param what: is to be done with it, as the subject of a sentence.
    """
    package = _normalised(_OTHER_NAMES.get(module, module))
    extra = _extras().get(package)
    line = f"pip install 'stcollection[{extra}]'" if extra else f"pip install {package}"
    return StateError(
        f"{what} needs the Python package {package}, which is not installed",
        hint=f"{line}; in the image of the database, 'docker compose exec loader stc …' has it.",
        sqlstate="IR404",
    )
