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
    matches = find_files(files, name, listing=listing)
    if len(matches) > 1:
        notes = "; ".join(file.note for file in matches)
        raise BadArgument(f"{name} was loaded {counted(len(matches), 'time')}: {notes}", hint=which)
    return matches[0]


def find_files(files: Sequence[LedgerFile], name: str, *, listing: str) -> list[LedgerFile]:
    """Return the entries of the file with this path, file name or SHA-256 (or the beginning of it, from 6 characters).

    Several entries with one SHA-256 are of the same file, read in several ways. A file without SHA-256, such as interrupted
    standard input, can also be selected by its number: ``#7``.

    :param listing: the command that lists the files, for the hint.
    :raises UnknownObject: no file matches. :raises BadArgument: different files match.
    """
    for matches in (
        [file for file in files if file.path == name or Path(file.path).absolute() == Path(name).absolute()],
        [file for file in files if Path(file.path).name == name],
        [file for file in files if file.sha256 and len(name) >= _SHORTEST and file.sha256.startswith(name.lower())],
        [file for file in files if not file.sha256 and name == f"#{file.id}"],
    ):
        if len({file.sha256 or file.id for file in matches}) == 1:
            return matches
        if matches:
            each = ", ".join(f"{file.sha256[:12] if file.sha256 else repr(f'#{file.id}')} ({file.note})" for file in matches)
            raise BadArgument(
                f"{counted(len(matches), 'loaded file is', 'loaded files are')} named {name}",
                hint=f"Select one by its SHA-256: {each}.",
            )
    close = get_close_matches(name, {part for file in files for part in (file.path, Path(file.path).name)}, n=1)
    meant = f"Did you mean {close[0]!r}? " if close else ""
    raise UnknownObject(f"no file {name!r} was loaded", hint=f"{meant}'{listing}' lists the files.")
