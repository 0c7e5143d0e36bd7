"""Errors of the collection that only programs meet."""

from __future__ import annotations

from stcollection.errors import StateError


class Conflict(StateError):
    """The collection has changed since the program read it."""
