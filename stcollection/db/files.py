"""Locate sql/ and migrations/: inside the installed package, or next to it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def folder(name: str) -> Path:
    """Return the folder with the SQL files or the migrations.

    :param name: ``sql`` or ``migrations``.
    """
    shipped = _PACKAGE / f"_{name}"
    return shipped if shipped.is_dir() else _PACKAGE.parent / name
