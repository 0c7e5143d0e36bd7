"""How runs and answers are printed."""

from __future__ import annotations

from typing import Any

from stcollection.cli.output import printable


def parameters(params: dict[str, Any]) -> str:
    """On one line."""
    return ", ".join(f"{name}={value}" for name, value in params.items())


def shown(value: Any, style: str) -> Any:
    """Names as a terminal may print them; in JSON as they are."""
    return printable(value) if isinstance(value, str) and style != "json" else value


def titles(fields: tuple[str, ...]) -> list[str]:
    return ["F1" if field == "f1" else field.replace("_", " ") for field in fields]
