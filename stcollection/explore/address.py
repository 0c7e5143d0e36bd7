"""What the page shows, in its address: a link that is shared opens the same.

``?tab=search&q=voice+assistants&system=bm25``. Each tab writes its own names; what is empty is left out.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from shiny import Session, reactive


def read(session: Session) -> dict[str, str]:
    """What the address says as the page was opened: the last value of each name."""
    with reactive.isolate():
        return {name: values[-1] for name, values in parse_qs(session.clientdata.url_search().lstrip("?")).items()}


async def write(session: Session, **state: str | int | None) -> None:
    """Change values in the address, without a new entry in the browser's history. None and '' take a name out."""
    changes: dict[str, object] = {name: "" if value is None else str(value) for name, value in state.items()}
    await session.send_custom_message("stc-address", changes)
