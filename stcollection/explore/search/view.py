"""Result of a search task, and parts of the page that describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from htmltools import Tag
from shiny import ui

from stcollection.errors import StcError
from stcollection.explore.search.asking import SearchPage, SearchRequest, Shown


@dataclass(frozen=True)
class SearchView:
    """Result of the task: a search, or the neighbours of a document, with the time in seconds."""

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
    time_taken = f"in {1000 * view.seconds:,.0f} ms."
    if view.near:
        return ui.p(f"{_documents(len(view.near[1]))}, by embedding, {time_taken}")
    assert view.found is not None  # noqa: S101
    if view.asked.beside:
        return ui.p(f"First {view.asked.k} documents of {len(view.asked.systems)} systems, {time_taken}")
    odd = view.asked.text.count('"') % 2 == 1
    return ui.p(
        f"{_documents(len(view.found.rows))}, by {view.asked.system}, {time_taken}",
        " The unbalanced quotation mark was ignored." if odd else None,
    )


def _documents(count: int) -> str:
    return f"{count} document{'s' if count != 1 else ''}"
