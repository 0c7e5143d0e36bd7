"""Buttons, facets and links of the search tab that start another search."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from shiny import Inputs, reactive, ui

from stcollection.errors import StcError
from stcollection.explore.pieces import notice
from stcollection.explore.search import asking
from stcollection.explore.search.facets import toggled, without
from stcollection.explore.search.request import RESULTS
from stcollection.vectors.store import DOCUMENT_FIELDS
from stcollection.web.desk import Desk


def near_field(value: Any) -> str:
    """Return the field that neighbours are found by, title if the value is not a field."""
    return str(value) if value in DOCUMENT_FIELDS else "title"


def serve_changes(
    input: Inputs,  # noqa: A002
    desk: Desk,
    *,
    begin: Callable[..., Awaitable[None]],
    change: Callable[[dict[str, Any]], Awaitable[None]],
    typed: Callable[[], dict[str, Any]],
    current: reactive.Value[dict[str, Any]],
) -> None:
    """Search when a button, a facet or a link is used."""

    @reactive.effect
    @reactive.event(input.go)
    async def _() -> None:
        await begin(typed())

    @reactive.effect
    @reactive.event(input.back)
    async def _() -> None:
        await begin(current())

    @reactive.effect
    @reactive.event(input.near)
    async def _() -> None:
        told = input.near()
        await begin(current(), (int(told["doc"]), near_field(told.get("field"))))

    @reactive.effect
    @reactive.event(input.facet)
    async def _() -> None:
        await change(toggled(current(), str(input.facet()["facet"]), str(input.facet()["value"])))

    @reactive.effect
    @reactive.event(input.chip)
    async def _() -> None:
        await change(without(current(), str(input.chip()["name"]), str(input.chip()["value"])))

    @reactive.effect
    @reactive.event(input.more)
    async def _() -> None:
        given = dict(current())
        now = str(given.get("k") or "20")
        given["k"] = next((k for k in RESULTS if int(k) > int(now)), RESULTS[-1])
        await change(given)

    @reactive.effect
    @reactive.event(input.article, ignore_init=True)
    async def _() -> None:
        topic = input.article()
        if topic and topic != current().get("article"):  # else the field shows the article that was searched
            ui.update_text("q", value="")
            await begin({**typed(), "q": "", "article": topic})

    @reactive.effect
    @reactive.event(input.stored, ignore_init=True)
    async def _() -> None:
        name = input.stored().strip()
        if not name:
            return
        try:
            text = await desk.ask(asking.stored_text, name)
        except StcError as error:
            ui.notification_show(notice(error), type="warning")
            return
        ui.update_text("q", value=text)
        await begin({**typed(), "q": text})
