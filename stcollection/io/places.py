"""Where a file is, as the ledgers of loaded files keep it."""

from __future__ import annotations

import os
from pathlib import Path

from stcollection.io.irdatasets import PREFIX
from stcollection.io.streams import STDIN


def is_file(path: Path) -> bool:
    """Return whether a path names a file, and not standard input or a data set of ir_datasets."""
    named = path.as_posix()
    return named != STDIN and not named.startswith(PREFIX)


def place(path: Path) -> str:
    """The path as the ledger keeps it: absolute, links as they are named; ``-`` for standard input."""
    return shown(path.absolute() if is_file(path) else path)


def shown(path: Path) -> str:
    """A path as text that PostgreSQL can hold: bytes that are not UTF-8 as ``\\xff``; by such a text no file is found again."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
