"""Stop a long computation: it calls :func:`check_cancelled` between its steps."""

from __future__ import annotations

import threading
from contextvars import ContextVar

from stcollection.errors import StateError

cancelling: ContextVar[threading.Event | None] = ContextVar("cancelling", default=None)  # set to cancel; None: cannot be cancelled


def check_cancelled() -> None:
    """Do nothing unless the computation was cancelled. :raises StateError: it was."""
    event = cancelling.get()
    if event is not None and event.is_set():
        raise StateError("the computation was cancelled", hint="Start it again.")
