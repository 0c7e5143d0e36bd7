"""The entries of the navigation: server-rendered views, each with a path, and tabs of the Shiny page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from stcollection.texts import later
from stcollection.web.words import t

# Tabs of the Shiny page by their value in the URL. A tab that becomes a view (views.py) leaves this table.
TABS = {
    "leaderboard": later("Leaderboard"),
    "judging": later("Judging"),
    "upload": later("Upload"),
    "coverage": later("Topic coverage"),
    "map": later("Map"),
    "collection": later("Collection"),
}
HOME = "home"  # the view that opens first
_ORDER = (HOME, "search", "leaderboard", "judging", "upload", "coverage", "map", "collection", "tables")


class Entry(NamedTuple):
    """An entry of the navigation. :param title: in the reader's language."""

    name: str
    title: str
    href: str


def path(view: str) -> str:
    """Return the path of a server-rendered view."""
    return "/" if view == HOME else f"/{view}"


def entries(views: Iterable[tuple[str, str]]) -> list[Entry]:
    """Return the entries in their order, views of studies last.

    :param views: name and title of each server-rendered view.
    """
    listed = [Entry(name, t(title), f"/?tab={name}") for name, title in TABS.items()]
    listed += [Entry(name, t(title), path(name)) for name, title in views]
    return sorted(listed, key=lambda entry: _ORDER.index(entry.name) if entry.name in _ORDER else len(_ORDER))
