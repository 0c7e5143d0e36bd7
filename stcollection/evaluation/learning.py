"""Where this process finds the measures that organisers added. Importing it reads no measures, which most commands do not need."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

#: A function that returns the measures of a collection, with the keys of measures.toml.
Reader = Callable[[], Iterable[Mapping[str, Any]]]
_AGAIN = 1.0  # seconds between two readings, so that unknown names in requests cost little
_readers: dict[Hashable, Reader] = {}
_read_at: float | None = None
_unread = ""


def note_unread(why: str) -> None:
    """Keep why the measures of a collection could not be read, for the error of a name that is not known; '': they were read."""
    global _unread
    _unread = why


def unread() -> str:
    """Return why the measures of a collection could not be read."""
    return _unread


def learn_from(key: Hashable, read: Reader) -> None:
    """Use the measures of a collection too: they are read when the name of a measure is not known."""
    global _read_at
    _readers[key] = read
    _read_at = None


def forget() -> None:
    """Use the measures of the product only."""
    _readers.clear()
    note_unread("")


def read_again() -> list[Mapping[str, Any]] | None:
    """Return the measures that organisers added; None if they were just read."""
    global _read_at
    if _read_at is not None and time.monotonic() - _read_at < _AGAIN:
        return None
    rows = [row for read in tuple(_readers.values()) for row in read()]
    _read_at = time.monotonic()
    return rows
