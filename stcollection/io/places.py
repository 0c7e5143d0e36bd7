"""Paths of files as stored in the ledgers of loaded files."""

from __future__ import annotations

import os
from pathlib import Path

from stcollection.io.irdatasets import PREFIX
from stcollection.io.streams import STDIN, is_pipe


def is_file(path: Path) -> bool:
    """Return True if a path names a file, not standard input or a data set of ir_datasets."""
    named = path.as_posix()
    return named != STDIN and not named.startswith(PREFIX)


def place(path: Path) -> str:
    """Return the path for the ledger: absolute, with unresolved links; ``-`` for standard input and pipes."""
    if is_pipe(str(path)):
        return STDIN
    return path_text(path.absolute() if is_file(path) else path)


def is_named(path: Path) -> bool:
    """Return True if a run or an edition can be named after a path: not standard input, ``<(…)`` or a device."""
    return place(path) != STDIN or (str(path) != STDIN and path.absolute().parts[1:2] not in (("dev",), ("proc",)))


def path_text(path: Path) -> str:
    """Return a path as text for PostgreSQL. Bytes that are not UTF-8 become ``\\xff``; such a text cannot be used as a path."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
