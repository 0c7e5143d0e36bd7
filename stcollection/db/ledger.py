"""Find a loaded file by its name or the beginning of its SHA-256."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from stcollection.errors import BadArgument, UnknownObject

_SHORTEST = 6  # minimum characters of a SHA-256


class LedgerFile(NamedTuple):
    """A loaded file. :param note: its contents in words, such as ``1,400 documents``."""

    id: int
    path: str
    sha256: str | None
    loaded: datetime | None
    note: str


def find_file(files: Sequence[LedgerFile], name: str, *, listing: str) -> LedgerFile:
    """Return the file with this path, file name or SHA-256 (or the beginning of it, from 6 characters).

    :param listing: the command that lists the files, for the hint.
    :raises UnknownObject: no file matches. :raises BadArgument: several files match.
    """
    for found in (
        [one for one in files if one.path == name or Path(one.path).absolute() == Path(name).absolute()],
        [one for one in files if Path(one.path).name == name],
        [one for one in files if one.sha256 and len(name) >= _SHORTEST and one.sha256.startswith(name.lower())],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            each = ", ".join(f"{(one.sha256 or 'unknown')[:12]} ({one.note})" for one in found)
            raise BadArgument(f"{len(found)} loaded files are named {name}", hint=f"Select one by its SHA-256: {each}.")
    close = get_close_matches(name, {part for one in files for part in (one.path, Path(one.path).name)}, n=1)
    meant = f"Did you mean {close[0]!r}? " if close else ""
    raise UnknownObject(f"no file {name!r} was loaded", hint=f"{meant}'{listing}' lists the files.")
