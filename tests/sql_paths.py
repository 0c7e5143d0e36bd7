"""The files of SQL, those of studies included."""

from __future__ import annotations

from pathlib import Path

from stcollection.db.objects import folders


def sql_paths() -> list[Path]:
    """Return all files of sql/ and of the installed studies."""
    return [path for root in folders().values() for path in sorted(root.rglob("*.sql"))]
