"""Import packages of extras, and find the extra of a missing one, from the metadata of the installed stcollection."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires
from typing import Any

from stcollection.errors import StateError

_REQUIREMENT = re.compile(r"""(?P<name>[A-Za-z0-9._-]+).*\bextra\s*==\s*["'](?P<extra>[^"']+)["']""")
_OTHER_NAMES = {"sklearn": "scikit-learn"}  # module -> package, where the names differ
_NOT_FOR_USERS = {"dev", "bench"}


@cache
def _extras() -> dict[str, str]:
    """Map each package (normalised name) to the smallest extra that installs it."""
    try:
        lines = requires("stcollection") or []
    except PackageNotFoundError:
        return {}
    pairs = [(_normalised(match["name"]), match["extra"]) for match in map(_REQUIREMENT.match, lines) if match is not None]
    sizes = Counter(extra for _, extra in pairs)
    smallest_last = sorted(pairs, key=lambda pair: (sizes[pair[1]], pair[1]), reverse=True)
    return {package: extra for package, extra in smallest_last if extra not in _NOT_FOR_USERS}


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def load_module(module: str, *, what: str = "this") -> Any:
    """Import a module of an extra.

    :param what: as for :func:`not_installed`.
    :raises StateError: its package, or one that it needs, is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("", "stcollection"):
            raise
        raise not_installed(missing, what=what, of=module.partition(".")[0]) from error


def not_installed(module: str, *, what: str = "this", of: str | None = None) -> StateError:
    """Return the error for a module that is not installed, with the command that installs it.

    :param what: the feature that needs the module, as the subject of the message. :param of: the module that needs it.
    """
    package = _normalised(_OTHER_NAMES.get(module, module))
    extra = _extras().get(_normalised(_OTHER_NAMES.get(of, of)) if of else package)
    line = f"pip install 'stcollection[{extra}]'" if extra else f"pip install {package}"
    return StateError(
        f"{what} needs the Python package {package}, which is not installed",
        hint=f"{line}; in the image of the database, 'docker compose exec loader stc …' has it.",
        sqlstate="IR404",
    )
