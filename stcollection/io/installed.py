"""Formats of other packages: the entry points of the group ``stcollection.formats``.

An entry point names a module with FORMAT or FORMATS, like those in stcollection/io.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from stcollection.io.formats import Format

GROUP = "stcollection.formats"
_NAME = re.compile(r"[a-z][a-z0-9._-]{0,39}")


class InstalledFormats(NamedTuple):
    """Formats of other packages.

    :param problems: why some formats cannot be used, a line for each.
    """

    formats: tuple[Format, ...]
    problems: tuple[str, ...]


def installed(product: Iterable[Format]) -> InstalledFormats:
    """Return the formats of other packages. Those that cannot be imported, or whose name is taken, are left out.

    :param product: the formats of this package, whose names are taken.
    """
    taken = {(known.kind, known.name) for known in product}
    formats_by_name: dict[tuple[str, str], list[tuple[str, Format]]] = defaultdict(list)
    problems = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        package = point.dist.name if point.dist else point.value
        try:
            for known in _formats(point):
                formats_by_name[known.kind, known.name].append((package, known))
        except (Exception, SystemExit) as error:
            words = " ".join(str(error).split()) or "no message"
            problems.append(f"the format {point.name} of the package {package} cannot be used: {type(error).__name__}: {words}")
    formats = []
    for (kind, name), owners in formats_by_name.items():
        packages = ", ".join(package for package, _ in owners)
        if (kind, name) in taken:
            problems.append(f"the {kind} format {name} of {packages} is not used: stcollection has a format with this name")
        elif len(owners) > 1:
            problems.append(f"the {kind} format {name} is not used: several packages have one ({packages}); uninstall all but one")
        else:
            formats.append(owners[0][1])
    return InstalledFormats(tuple(formats), tuple(problems))


def _formats(point: EntryPoint) -> list[Format]:
    """Return the formats of an entry point. :raises Exception: it cannot be imported, or has none."""
    module = point.load()
    formats = list(module.FORMATS) if hasattr(module, "FORMATS") else [module.FORMAT]
    for known in formats:
        if not isinstance(known, Format) or not hasattr(known, "kind"):
            raise TypeError(f"{point.value} has {type(known).__name__} instead of a format of stcollection.io.formats")
        if not _NAME.fullmatch(known.name):
            raise ValueError(f"a format cannot have the name {known.name!r}; use lower-case letters, digits, points and hyphens")
    return formats
