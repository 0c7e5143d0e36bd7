"""Open files as streams of bytes: plain, .gz, .zst, .bz2, .xz, .zip, standard input or a pipe, detected by their first bytes.

Parquet becomes JSON lines. A source of documents (:meth:`Source.members`) is read in one pass, with every member of a .zip. A file
of lines (:func:`content`) can be read again, has one member, and is unpacked up to a limit
(:func:`~stcollection.io.compression.unpacked_limit`).
"""

from __future__ import annotations

import atexit
import hashlib
import os
import stat
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.io import parquet
from stcollection.io.compression import ZIP, Damaged, TooLarge, kind, unpack, unpacked_limit

STDIN = "-"
_BLOCK = 2**18
_PIECE = 2**20
_COPIES: dict[object, Path] = {}  # of pipes, by device and inode; of standard input
_AGAIN = "The documents before the fault are loaded. Get the file again and load it; stored documents are skipped as duplicates."


_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class BrokenOff(BadInput):
    """A source fails during a load, but may succeed the next time.

    The incomplete chunk is not stored, because a resumed load would treat it as complete.
    """


class Several(Exception):
    """A .zip does not contain exactly one file."""


def is_pipe(path: str) -> bool:
    """Return True if a path can be read only once: standard input, a FIFO, the ``<(…)`` of a shell, a terminal."""
    if path == STDIN:
        return True
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


class Source:
    """A file, standard input, or a pipe.

    :raises BadArgument: the path does not exist or is a folder.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STDIN else path
        self.size: int | None = None
        self.position = 0
        self._read_sum = hashlib.sha256()
        self._once = is_pipe(path)
        if path == STDIN:
            return
        if not Path(path).exists():
            raise BadArgument(f"there is no file {path}", hint="Give the path of a file that exists, or - for standard input.")
        if Path(path).is_dir():
            raise BadArgument(f"{path} is a folder", hint=f"Name the files in it, such as {Path(path) / '*'}.")
        if not self._once:
            self.size = Path(path).stat().st_size

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Raise errors of the system and of a .zip (damaged, truncated, encrypted, unknown method) as BadInput."""
        try:
            yield
        except _ZIP_ERRORS as error:
            raise BadInput(f"{self.name}: the .zip cannot be read: {error}", hint=_AGAIN) from error
        except OSError as error:
            raise self._broken(error) from error

    def _broken(self, error: OSError) -> BrokenOff:
        return BrokenOff(f"{self.name}: cannot read the file: {error.strerror or error}", hint="Check its permissions and disk.")

    @property
    def where(self) -> str:
        """The path for the ledger; ``-`` for a pipe, whose path names other content the next time."""
        return STDIN if self._once else str(Path(self.path).absolute())

    def sha256(self) -> str | None:
        """Return the SHA-256 of the file on disk; None if it can be read only once."""
        return None if self.size is None else self.digest()

    def digest(self) -> str:
        """Return the SHA-256 of the file on disk, or of all that a pipe contains."""
        with self.again() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @contextmanager
    def again(self) -> Iterator[BufferedReader]:
        """Open the file at its beginning, any number of times. A pipe is copied to disk first, once for the whole process."""
        try:
            with (self._kept() if self._once else Path(self.path)).open("rb") as file:
                yield file
        except OSError as error:
            raise self._broken(error) from error

    def keep(self) -> None:
        """Copy a pipe to disk, so that it can be read by :meth:`again` and :meth:`members` any number of times."""
        if self._once:
            with self.again():
                pass

    def _kept(self) -> Path:
        """Return the copy of a pipe in a temporary file, which is removed when the process ends."""
        key = self._identity()
        if key not in _COPIES:
            file = tempfile.NamedTemporaryFile(prefix="stc-pipe-")  # noqa: SIM115
            atexit.register(file.close)
            with self._stream() as stream:
                while block := self._block(stream):
                    self._store(file, block)
            _COPIES[key] = Path(file.name)
        return _COPIES[key]

    def _store(self, file: Any, block: bytes) -> None:
        """Write a block of the copy. :raises BadInput: the temporary folder is full."""
        try:
            file.write(block)
            file.flush()
        except OSError as error:
            raise BrokenOff(
                f"{self.name}: cannot copy it to {tempfile.gettempdir()}: {error.strerror}",
                hint="Free space there, or name another folder in TMPDIR.",
            ) from error

    def _identity(self) -> object:
        if self.path == STDIN:
            return sys.stdin.buffer
        status = Path(self.path).stat()
        return status.st_dev, status.st_ino

    def _stream(self) -> Any:
        return _kept_open(sys.stdin.buffer) if self.path == STDIN else Path(self.path).open("rb")

    def read_sha256(self) -> str:
        """Return the SHA-256 of the part of a pipe that was read."""
        return self._read_sum.hexdigest()

    def members(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield the streams of the file, each with a name for messages; more than one only for a .zip.

        :raises BadInput: (while they are read) a compressed stream is truncated or damaged, or the file cannot be read.
        """
        with self._reading():
            opened = self._opened()
        with opened as file:
            blocks = self._blocks(file)
            first = next(blocks, b"")
            if first.startswith(ZIP):
                if self.size is None:
                    raise BadInput(
                        f"{self.name}: a .zip cannot be read as a stream", hint="Name the file: stc load --as corpus FILE.zip"
                    )
                yield from self._zipped(file)
            elif first.startswith(parquet.MAGIC):
                yield self.name, self._rows(file)
            else:
                yield self.name, _plain(chain([first], blocks), self.name)

    def _rows(self, file: BinaryIO) -> Iterator[bytes]:
        """Yield the rows of a Parquet file as JSON lines."""
        size = self.size
        if size is None:
            raise BadInput(f"{self.name}: Parquet cannot be read as a stream", hint="Name the file: stc load FILE.parquet")

        def progress(share: float) -> None:
            self.position = int(share * size)

        try:
            yield from parquet.lines(file, self.name, progress=progress)
        except Damaged as error:
            raise BadInput(f"{self.name}: {error}", hint=_AGAIN) from error

    def _opened(self) -> Any:
        return self._kept().open("rb") if self._once and self._identity() in _COPIES else self._stream()

    def _blocks(self, file: IO[bytes]) -> Iterator[bytes]:
        while block := self._block(file):
            self.position += len(block)
            if self.size is None:
                self._read_sum.update(block)
            yield block

    def _block(self, file: IO[bytes]) -> bytes:
        with self._reading():
            return file.read(_BLOCK)

    def _zipped(self, file: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
        with self._reading(), zipfile.ZipFile(file) as archive:
            for member in _files(archive):
                name = f"{self.name}/{member.filename}"
                with archive.open(member) as stream:
                    yield name, _plain(self._member_blocks(stream, file), name)

    def _member_blocks(self, stream: IO[bytes], file: IO[bytes]) -> Iterator[bytes]:
        while block := self._block(stream):
            self.position = file.tell()
            yield block


@contextmanager
def _kept_open(file: IO[bytes]) -> Iterator[IO[bytes]]:
    yield file


def _files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files of a .zip, without hidden files."""
    return [
        member
        for member in archive.infolist()
        if not member.is_dir() and not any(part.startswith((".", "__MACOSX")) for part in member.filename.split("/"))
    ]


def _begun(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes of a stream (at least six, if it has them), and the whole stream."""
    first = next(blocks, b"")
    while len(first) < 6 and (more := next(blocks, b"")):
        first += more
    return first, chain([first], blocks)


def _plain(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Yield the bytes of the blocks, unpacked if their first bytes show a compression.

    :raises BadInput: a compressed stream is truncated or damaged; its intact part was yielded.
    """
    first, whole = _begun(blocks)
    packed = kind(first)
    if packed is None:
        yield from whole
        return
    try:
        yield from unpack(whole, packed)
    except Damaged as error:
        raise BadInput(f"{name}: the {packed} stream {error}", hint=_AGAIN) from error


def content(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file in pieces of a few MB at most, unpacked if its first bytes show a compression.

    :raises Damaged: the compressed data is truncated or damaged. :raises TooLarge: it unpacks to more than the limit.
    :raises Several: a .zip that does not contain exactly one file.
    """
    file.seek(0)
    first, whole = _begun(iter(lambda: file.read(_PIECE), b""))
    if first.startswith(ZIP):
        yield from _only_member(file)
    elif first.startswith(parquet.MAGIC):
        yield from _limited(parquet.lines(file, str(file.name)), _limit(file))
    elif (packed := kind(first)) is None:
        yield from whole if first else ()
    else:
        yield from unpack(whole, packed, limit=_limit(file))


def _limited(stream: Iterator[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in stream:
        size += len(piece)
        if size > limit:
            raise TooLarge(f"the file unpacks to more than {counted(limit, 'byte')}")
        yield piece


def _limit(file: BinaryIO) -> int:
    return unpacked_limit(os.fstat(file.fileno()).st_size)


def _only_member(file: BinaryIO) -> Iterator[bytes]:
    limit = _limit(file)
    try:
        with zipfile.ZipFile(file) as archive:
            names = _files(archive)
            if len(names) != 1:
                raise Several(f"a zip archive of {counted(len(names), 'file')}, not of 1")
            with archive.open(names[0]) as stream:
                first, whole = _begun(iter(lambda: stream.read(_BLOCK), b""))
                packed = kind(first)
                yield from _limited(whole if packed is None else unpack(whole, packed), limit)
    except _ZIP_ERRORS as error:
        raise Damaged(f"is not a readable .zip: {error}") from error
