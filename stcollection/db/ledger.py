"""Find a loaded file by its name or the beginning of its SHA-256."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from stcollection.counts import counted
from stcollection.errors import BadArgument, UnknownObject

_SHORTEST = 6  # minimum characters of a SHA-256


class LedgerFile(NamedTuple):
    """A loaded file. :param note: its contents in words, such as ``1,400 documents``."""

    id: int
    path: str
    sha256: str | None
    loaded: datetime | None
    note: str


def find_file(files: Sequence[LedgerFile], name: str, *, listing: str, which: str) -> LedgerFile:
    """Return the only entry of the file with this name; see :func:`find_files`.

    :param which: how to select one of several entries of the same file, for the hint.
    :raises BadArgument: also if several entries are of the same file.
    """
    found = find_files(files, name, listing=listing)
    if len(found) > 1:
        notes = "; ".join(one.note for one in found)
        raise BadArgument(f"{name} was loaded {counted(len(found), 'time')}: {notes}", hint=which)
    return found[0]


def find_files(files: Sequence[LedgerFile], name: str, *, listing: str) -> list[LedgerFile]:
    """Return the entries of the file with this path, file name or SHA-256 (or the beginning of it, from 6 characters).

    Several entries with one SHA-256 are of the same file, read in several ways. A file without SHA-256, such as interrupted
    standard input, can also be selected by its number: ``#7``.

    :param listing: the command that lists the files, for the hint.
    :raises UnknownObject: no file matches. :raises BadArgument: different files match.
    """
    for found in (
        [one for one in files if one.path == name or Path(one.path).absolute() == Path(name).absolute()],
        [one for one in files if Path(one.path).name == name],
        [one for one in files if one.sha256 and len(name) >= _SHORTEST and one.sha256.startswith(name.lower())],
        [one for one in files if not one.sha256 and name == f"#{one.id}"],
    ):
        if len({one.sha256 or one.id for one in found}) == 1:
            return found
        if found:
            each = ", ".join(f"{one.sha256[:12] if one.sha256 else repr(f'#{one.id}')} ({one.note})" for one in found)
            raise BadArgument(
                f"{counted(len(found), 'loaded file is', 'loaded files are')} named {name}",
                hint=f"Select one by its SHA-256: {each}.",
            )
    close = get_close_matches(name, {part for one in files for part in (one.path, Path(one.path).name)}, n=1)
    meant = f"Did you mean {close[0]!r}? " if close else ""
    raise UnknownObject(f"no file {name!r} was loaded", hint=f"{meant}'{listing}' lists the files.")
