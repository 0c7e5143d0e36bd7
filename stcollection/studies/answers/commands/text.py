"""Text of runs and answers for printing."""

from __future__ import annotations

from typing import Any


def parameters(params: dict[str, Any]) -> str:
    """Put a text on one line."""
    return ", ".join(f"{name}={value}" for name, value in params.items())


def titles(fields: tuple[str, ...]) -> list[str]:
    return ["F1" if field == "f1" else field.replace("_", " ") for field in fields]
