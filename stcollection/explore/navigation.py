"""The entries of the navigation: views, each with a path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlencode

from stcollection.web.words import t

HOME = "home"  # the view that opens first
STYLE = "style"  # a view that no entry leads to
_ORDER = (HOME, "search", "leaderboard", "judging", "upload", "map", "collection", "tables", "log", STYLE)
_STUDIES = _ORDER.index("map")  # views of studies come before it


class Entry(NamedTuple):
    """An entry of the navigation. :param title: in the reader's language."""

    name: str
    title: str
    href: str


def path(view: str) -> str:
    """Return the path of a view."""
    return "/" if view == HOME else f"/{view}"


def link(name: str, **state: str) -> str:
    """Return the address of a view. :param state: parameters of the address."""
    return f"{path(name)}?{urlencode(state)}" if state else path(name)


def entries(views: Iterable[tuple[str, str]]) -> list[Entry]:
    """Return the entries in their order.

    :param views: name and title of each view.
    """
    listed = [Entry(name, t(title), path(name)) for name, title in views]
    return sorted(listed, key=lambda entry: _ORDER.index(entry.name) if entry.name in _ORDER else _STUDIES - 0.5)
