"""The application_name of the sessions of this process. Other sessions, such as a monitor, find them by it."""

from __future__ import annotations

_name: str | None = None


def name_sessions(name: str | None) -> None:
    """Set the application_name for the sessions of this process and its workers; the command line sets its words and process id."""
    global _name
    _name = name


def name_of_sessions() -> str | None:
    """Return the application_name for the sessions of this process, if one is set."""
    return _name
