"""Outline of the collection tab: numbers at a glance, an index of the sections, folded tables, links to other tabs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from shiny import ui

from stcollection.web.words import t, whole

_LONG = 12  # rows from which a table is folded


def tiles(counts: Mapping[str, int]) -> ui.Tag:
    """Draw counts side by side."""
    return ui.tags.dl(
        *(ui.div(ui.tags.dt(name), ui.tags.dd(whole(count)), class_="stc-tile") for name, count in counts.items()),
        class_="stc-tiles",
    )


def contents(names: Sequence[str]) -> ui.Tag:
    """Draw links to the sections. :param names: in English."""
    return ui.tags.nav(
        *(ui.a(t(name), href=f"#{_anchor(name)}") for name in names), aria_label=t("Sections"), class_="stc-contents"
    )


def section(name: str, *children: ui.TagChild) -> ui.Tag:
    heading = ui.h2(t(name), id=_anchor(name), tabindex="-1")
    return ui.tags.section(heading, *children, aria_labelledby=_anchor(name))


def folded(shown: ui.Tag, *, rows: int, what: str) -> ui.Tag:
    """Fold a table that is long. :param what: text of the button, with the placeholder ``count``."""
    if rows < _LONG:
        return shown
    return ui.tags.details(ui.tags.summary(t(what, count=rows)), shown, class_="stc-fold")


def linked(kind: str, name: str) -> ui.Tag:
    """Link an edition or a run to the leaderboard. :param kind: ``edition`` or ``run``."""
    return ui.a(name, href=f"/leaderboard{'/run' if kind == 'run' else ''}?{urlencode({kind: name})}")


def _anchor(name: str) -> str:
    return f"collection-{name.lower()}-section"
