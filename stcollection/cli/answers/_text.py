"""Text of runs and answers for printing."""

from __future__ import annotations

from typing import Any

from stcollection.cli.output import printable


def parameters(params: dict[str, Any]) -> str:
    """Put a text on one line."""
    return ", ".join(f"{name}={value}" for name, value in params.items())


def shown(value: Any, style: str) -> Any:
    """Make names safe for a terminal; JSON keeps them unchanged."""
    return printable(value) if isinstance(value, str) and style != "json" else value


def titles(fields: tuple[str, ...]) -> list[str]:
    return ["F1" if field == "f1" else field.replace("_", " ") for field in fields]
