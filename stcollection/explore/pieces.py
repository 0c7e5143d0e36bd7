"""Shared parts of the tabs: tables and error messages. htmltools escapes texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Any

from shiny import ui

from stcollection.errors import StcError
from stcollection.explore.faults import error_text, sentence
from stcollection.web.words import english, t, whole


def alert(error: StcError) -> ui.Tag:
    """Draw an error as a sentence followed by its hint: in the reader's language if both texts are marked by ``later``."""
    message, hint, lang = error_text(error)
    return ui.div(
        ui.strong(message), ui.p(hint, class_="mb-0") if hint else None, class_="alert alert-warning", role="alert", lang=lang
    )


def notice(error: StcError) -> str:
    """Return an error and its hint as one text, in the reader's language as far as ``later`` marked them."""
    return " ".join([sentence(t(error.message)), *([t(error.hint)] if error.hint else [])])


def simulated(note: str | None) -> ui.Tag | None:
    """Draw the note on simulated data that a record carries; None without one."""
    return ui.p(note, role="note", class_="text-body-secondary small", lang=english()) if note else None


def tells(show: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
    """Decorator for functions of ``render.ui``: show an StcError on the page instead of raising it."""

    @wraps(show)
    async def shown() -> Any:
        try:
            return await show()
        except StcError as error:
            return alert(error)

    return shown


def table(headers: Sequence[str], rows: Sequence[Sequence[Any]], *, caption: str, numbers: Sequence[int] = ()) -> ui.Tag:
    """Draw a table that scrolls horizontally on a narrow page.

    :param caption: also read by screen readers. :param numbers: indexes of columns to align right.
    """

    def cell(place: int, value: Any) -> ui.Tag:
        kind = "text-end" if place in numbers else None
        shown = "" if value is None else whole(value) if isinstance(value, int) and place in numbers else value
        return ui.tags.th(shown, scope="row") if place == 0 else ui.tags.td(shown, class_=kind)

    head = ui.tags.tr(
        *(ui.tags.th(name, scope="col", class_="text-end" if place in numbers else None) for place, name in enumerate(headers))
    )
    body = (ui.tags.tr(*(cell(place, value) for place, value in enumerate(row))) for row in rows)
    return ui.div(
        ui.tags.table(ui.tags.caption(caption), ui.tags.thead(head), ui.tags.tbody(*body), class_="table table-sm table-hover"),
        class_="table-responsive",
        tabindex="0",
    )
