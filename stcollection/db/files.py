"""Locate sql/ and migrations/: inside the installed package, or next to it in a checkout."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[1]
_DATA = re.compile(r"'(\w+\.toml)'")


def folder(name: str) -> Path:
    """Return the folder with the SQL files or the migrations.

    :param name: ``sql`` or ``migrations``.
    """
    shipped = _PACKAGE / f"_{name}"
    return shipped if shipped.is_dir() else _PACKAGE.parent / name


def sql_text(path: Path) -> str:
    """Return the text of a file of sql/. The quoted name of a TOML file in its folder is replaced with the content, as JSON."""
    text = path.read_text(encoding="utf-8")
    if ".toml'" not in text:
        return text

    def literal(match: re.Match[str]) -> str:
        return "'" + json.dumps(toml(path.parent / match[1]), ensure_ascii=False).replace("'", "''") + "'"

    return _DATA.sub(literal, text)


@cache
def toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file, which is read once per process."""
    import tomllib  # not at module level: most commands read none

    return tomllib.loads(path.read_text(encoding="utf-8"))
