"""Restore a tab's inputs from the URL without writing every step of it back into the URL."""

from __future__ import annotations

from collections.abc import Mapping


class Restoring:
    """Inputs that the browser was told to set, and has not yet sent back."""

    def __init__(self) -> None:
        self._awaited: dict[str, str] = {}

    def begin(self, wanted: Mapping[str, str], now: Mapping[str, str]) -> None:
        """Wait for inputs. :param wanted: values that the browser accepts. :param now: current values."""
        self._awaited = {name: value for name, value in wanted.items() if now.get(name) != value}

    def settled(self, now: Mapping[str, str]) -> bool:
        """Return True if all inputs have arrived. :param now: current values."""
        self._awaited = {name: value for name, value in self._awaited.items() if now.get(name) != value}
        return not self._awaited
