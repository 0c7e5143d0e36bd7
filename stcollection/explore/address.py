"""State of the page in its URL, so that a shared link opens the same view.

``?tab=search&q=voice+assistants&system=bm25``. Each tab writes its own parameters; empty ones are omitted.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from shiny import Session, reactive


def read(session: Session) -> dict[str, str]:
    """Return the URL's parameters when the page was opened: the last value of each name."""
    with reactive.isolate():
        return {name: values[-1] for name, values in parse_qs(session.clientdata.url_search().lstrip("?")).items()}


async def write(session: Session, **state: str | int | None) -> None:
    """Change parameters of the URL without a new entry in the browser's history. None and '' remove a parameter."""
    changes: dict[str, object] = {name: "" if value is None else str(value) for name, value in state.items()}
    await session.send_custom_message("stc-address", changes)
