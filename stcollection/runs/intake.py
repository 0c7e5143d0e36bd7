"""List the files of a submission folder and copy each before it is read, so that the checked file is the imported one.

Nothing outside the folder is read: links are refused, and files are opened by name relative to an open folder descriptor.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.io.compression import Damaged, TooLarge, kind
from stcollection.io.streams import Several, content
from stcollection.runs.names import stem

_YAML = (".yml", ".yaml")
_UNFINISHED = (".part", ".partial", ".tmp", ".crdownload", ".filepart", ".swp", "~")
_PIECE = 1 << 20
SETTLE = 2.0  # seconds since the last change before a file is read


class RefusedFile(Exception):
    """A file is refused; the message is the reason."""


class Unfinished(Exception):
    """A file is left for the next call; the message is the reason."""


@dataclass(frozen=True)
class Arrival:
    """A file of the folder. :param folder: its sub-folder or ''. :param beside: the YAML file of the same name."""

    folder: str
    name: str
    beside: str | None = None

    @property
    def shown(self) -> str:
        """The name as stored and printed."""
        path = f"{self.folder}/{self.name}" if self.folder else self.name
        text = os.fsencode(path).decode("utf-8", "backslashreplace")
        return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


@dataclass(frozen=True, kw_only=True)
class Copy:
    """A private copy of a submitted file.

    :param path: the uncompressed copy. :param sha256: hash of the submitted file before unpacking.
    """

    path: Path
    sha256: str


@dataclass
class Listing:
    """The files of a folder of submissions.

    :param left: files that are not run files, with the reason.
    """

    arrivals: list[Arrival] = field(default_factory=list)
    left: list[tuple[Arrival, str]] = field(default_factory=list)


def listing(folder: Path) -> Listing:
    """List the files of a folder and of its sub-folders, in order; hidden files are skipped.

    :raises BadArgument: the path is not a folder.
    """
    if not folder.is_dir():
        raise BadArgument(f"{folder} is not a folder", hint="Name the folder that contains the submissions.")
    listed = Listing()
    _list(listed, folder, "")
    listed.arrivals.sort(key=lambda arrival: (os.fsencode(arrival.folder), os.fsencode(arrival.name)))
    return listed


def _list(listed: Listing, folder: Path, inner: str) -> None:
    with os.scandir(folder) as entries:
        names = {entry.name: entry for entry in entries if not entry.name.startswith(".")}
    taken: set[str] = set()
    for name, entry in sorted(names.items()):
        if entry.is_dir(follow_symlinks=False):
            if inner:
                listed.left.append((Arrival(inner, name), "a folder inside a team's folder"))
            else:
                _list(listed, folder / name, name)
        elif name.lower().endswith(_UNFINISHED):
            listed.left.append((Arrival(inner, name), "its name marks an unfinished file"))
        elif not name.lower().endswith(_YAML):
            candidates = [f"{base}{ending}" for base in (stem(Path(name)), name) for ending in _YAML]
            beside = next((candidate for candidate in candidates if candidate in names), None)
            taken.update([beside] if beside else [])
            listed.arrivals.append(Arrival(inner, name, beside))
    for name in names:
        if name.lower().endswith(_YAML) and name not in taken:
            listed.left.append((Arrival(inner, name), "no run file has this name"))


def copy(folder: Path, arrival: Arrival, into: Path, *, largest: int) -> Copy:
    """Copy a file and its YAML file into a private folder.

    :param largest: maximum size in bytes, before and after unpacking.
    :raises RefusedFile: the file is a link, not a regular file, too large, damaged, empty or not readable.
    :raises Unfinished: the file changed while it was read, or is gone.
    """
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if arrival.folder:
            outer, held = held, _open(arrival.folder, held, os.O_DIRECTORY)
            os.close(outer)
        raw, plain = into / "raw", into / Path(arrival.name).name
        digest = _copy_raw(held, arrival.name, raw, largest)
        if arrival.beside:
            _copy_raw(held, arrival.beside, into / arrival.beside, largest)
    finally:
        os.close(held)
    with raw.open("rb") as source, plain.with_name("plain").open("wb") as out:
        size = 0
        for piece in _unpacked(source):
            size += len(piece)
            if size > largest:
                raise RefusedFile(f"more than {counted(largest, 'byte')} when unpacked")
            out.write(piece)
    raw.unlink()
    with plain.with_name("plain").open("rb") as file:
        start = file.read(6)
    if not start:
        raise RefusedFile("an empty file")
    if kind(start) is not None:
        raise RefusedFile("compressed twice")
    return Copy(path=plain.with_name("plain").rename(plain), sha256=digest)


def _open(name: str, held: int, flags: int = 0) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | flags, dir_fd=held)
    except FileNotFoundError:
        raise Unfinished("the file is gone") from None
    except PermissionError:
        raise RefusedFile("no permission to read the file") from None
    except OSError as error:
        link = stat.S_ISLNK(os.stat(name, dir_fd=held, follow_symlinks=False).st_mode)
        raise RefusedFile("a link; submit the file itself" if link else str(error.strerror)) from None


def _copy_raw(held: int, name: str, to: Path, largest: int) -> str:
    digest = hashlib.sha256()
    with os.fdopen(_open(name, held), "rb") as file, to.open("wb") as out:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise RefusedFile("not a regular file")
        if before.st_size > largest:
            raise RefusedFile(f"{counted(before.st_size, 'byte')}; at most {largest:,} are allowed")
        age = time.time() - before.st_mtime
        if 0 <= age < SETTLE:
            time.sleep(SETTLE - age)
        while piece := file.read(_PIECE):
            digest.update(piece)
            out.write(piece)
            if out.tell() > largest:
                raise Unfinished("the file grew while it was read")
        after = os.fstat(file.fileno())
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or out.tell() != after.st_size:
            raise Unfinished("the file changed while it was read: is it still being written?")
    return digest.hexdigest()


def _unpacked(raw: BinaryIO) -> Iterator[bytes]:
    try:
        yield from content(raw)
    except Damaged as error:
        raise RefusedFile(f"the compressed data is truncated or damaged (it {error})") from None
    except (Several, TooLarge) as error:
        raise RefusedFile(str(error)) from None
