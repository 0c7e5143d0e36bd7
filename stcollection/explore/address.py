"""State of the page in its URL, so that a shared link opens the same view and the browser's back and forward buttons work.

``?tab=leaderboard&edition=test&by=AP``. Each tab writes its own parameters; empty ones are omitted.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from shiny import Session, reactive
from shiny.types import SilentException


def read(session: Session) -> dict[str, str]:
    """Return the URL's parameters when the page was opened: the last value of each name."""
    with reactive.isolate():
        return _parsed(session.clientdata.url_search())


def visited(session: Session) -> dict[str, str] | None:
    """Return the URL's parameters after the reader went back or forward, None before. The value is reactive."""
    try:
        return _parsed(session.root_scope().input["stc_address"]())
    except SilentException:  # reading it makes the caller depend on it
        return None


async def write(session: Session, push: bool = False, **state: str | int | None) -> None:
    """Change parameters of the URL. None and '' remove a parameter.

    :param push: add an entry to the browser's history, for what a reader would call another view, unless the URL stays the same.
    """
    changes: dict[str, object] = {name: "" if value is None else str(value) for name, value in state.items()}
    await session.send_custom_message("stc-address", {"push": push, "changes": changes})


def _parsed(search: object) -> dict[str, str]:
    text = search if isinstance(search, str) else ""
    return {name: values[-1] for name, values in parse_qs(text.lstrip("?")).items()}
