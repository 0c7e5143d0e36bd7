"""Result of a search task, and parts of the page that describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from htmltools import Tag
from shiny import ui

from stcollection.errors import StcError
from stcollection.explore.search.asking import SearchPage, SearchRequest, Shown
from stcollection.web.words import n, t


@dataclass(frozen=True)
class SearchView:
    """Result of the task: a search, or documents like another (``of``) or like an article, with the time in seconds."""

    asked: SearchRequest
    state: Mapping[str, Any]
    found: SearchPage | None
    near: tuple[str, list[Shown]] | None
    of: tuple[int, str] | None
    seconds: float


@dataclass(frozen=True)
class SearchFailure:
    """A failed search. :param of: the document and field, if neighbours were requested."""

    error: StcError
    state: Mapping[str, Any]
    of: tuple[int, str] | None


def summary(view: SearchView | SearchFailure) -> Tag | None:
    """Say how many documents were found, by what, and in which time."""
    if isinstance(view, SearchFailure):
        return None
    took = 1000 * view.seconds
    if view.near and view.of is not None:
        many = len(view.near[1])
        return ui.p(
            n(
                "{count} document, by embedding, in {time:,.0f} ms.",
                "{count} documents, by embedding, in {time:,.0f} ms.",
                many,
                time=took,
            )
        )
    if view.near:
        return _counted(len(view.near[1]), view.asked.system, took)
    assert view.found is not None  # noqa: S101
    if view.asked.beside:
        text = n(
            "First document of {systems} systems, in {time:,.0f} ms.",
            "First {count} documents of {systems} systems, in {time:,.0f} ms.",
            view.asked.k,
            systems=len(view.asked.systems),
            time=took,
        )
        return ui.p(text)
    odd = view.asked.text.count('"') % 2 == 1
    return _counted(
        len(view.found.rows), view.asked.system, took, " " + t("The unbalanced quotation mark was ignored.") if odd else None
    )


def _counted(many: int, system: str, took: float, more: str | None = None) -> Tag:
    return ui.p(
        n(
            "{count} document, by {system}, in {time:,.0f} ms.",
            "{count} documents, by {system}, in {time:,.0f} ms.",
            many,
            system=system,
            time=took,
        ),
        more,
    )
