"""Files as streams of bytes: plain, .gz, .zst, .bz2, .xz, .zip (every member) or standard input; told by their first bytes."""

from __future__ import annotations

import hashlib
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

from stcollection.errors import BadArgument, BadInput
from stcollection.io.compression import Damaged, kind, unpack

STDIN = "-"
_BLOCK = 2**18
_AGAIN = "The documents before it are loaded. Get the file again, whole, and load it: those that are in are skipped as duplicates."


class BrokenOff(BadInput):
    """A source that breaks off while it is loaded, and need not the next time.

    What it gave of the chunk it broke off in is not stored: a load that resumes would take that chunk for whole.
    """


class Source:
    """A file, or standard input, to be read once from its beginning.

    :raises BadArgument: there is no such file, or it is none.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STDIN else path
        self.size: int | None = None
        self.position = 0
        self._read_sum = hashlib.sha256()
        if path == STDIN:
            return
        if not Path(path).exists():
            raise BadArgument(f"there is no file {path}", hint="Give the path of a file that exists, or - for standard input.")
        if Path(path).is_dir():
            raise BadArgument(f"{path} is a folder", hint=f"Name its files, like {Path(path) / '*.json'}.")
        if Path(path).is_file():
            self.size = Path(path).stat().st_size

    @property
    def where(self) -> str:
        """How the ledger names it."""
        return STDIN if self.path == STDIN else str(Path(self.path).absolute())

    def sha256(self) -> str | None:
        """The SHA-256 of the file as it lies there; None for what can be read but once."""
        if self.size is None:
            return None
        with _reading(self.name), Path(self.path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def read_sha256(self) -> str:
        """The SHA-256 of what was read of standard input."""
        return self._read_sum.hexdigest()

    def members(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """The streams of the file, each with a name for messages; one unless it is a .zip.

        :raises BadInput: (while they are read) a compressed stream is cut off or damaged, or the file cannot be read.
        """
        with _reading(self.name):
            opened = self._opened()
        with opened as file:
            blocks = self._blocks(file)
            first = next(blocks, b"")
            if first.startswith(b"PK\x03\x04"):
                if self.size is None:
                    raise BadInput(
                        f"{self.name}: a .zip cannot be read as a stream", hint="Name the file: stc corpus load FILE.zip"
                    )
                yield from self._zipped(file)
            else:
                yield self.name, _plain(chain([first], blocks), self.name)

    def _opened(self) -> Any:
        if self.path == STDIN:
            return _kept_open(sys.stdin.buffer)
        return Path(self.path).open("rb")

    def _blocks(self, file: IO[bytes]) -> Iterator[bytes]:
        while block := self._block(file):
            self.position += len(block)
            if self.size is None:
                self._read_sum.update(block)
            yield block

    def _block(self, file: IO[bytes]) -> bytes:
        with _reading(self.name):
            return file.read(_BLOCK)

    def _zipped(self, file: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
        with _reading(self.name), zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                hidden = any(part.startswith((".", "__MACOSX")) for part in member.filename.split("/"))
                if not member.is_dir() and not hidden:
                    name = f"{self.name}/{member.filename}"
                    with archive.open(member) as stream:
                        yield name, _plain(self._member_blocks(stream, file), name)

    def _member_blocks(self, stream: IO[bytes], file: IO[bytes]) -> Iterator[bytes]:
        while block := self._block(stream):
            self.position = file.tell()
            yield block


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Errors of the system and of a .zip (damaged, cut off, encrypted, of an unknown method) as BadInput."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadInput(f"{name}: the .zip cannot be read: {error}", hint=_AGAIN) from error
    except OSError as error:
        raise BrokenOff(
            f"{name}: it cannot be read: {error.strerror or error}", hint="Look at its permissions and its disk."
        ) from error


@contextmanager
def _kept_open(file: IO[bytes]) -> Iterator[IO[bytes]]:
    yield file


def _plain(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The bytes that the blocks hold or, by their first bytes, compress.

    :raises BadInput: a compressed stream is cut off or damaged; all before that came out.
    """
    first = next(blocks, b"")
    packed = kind(first)
    if packed is None:
        yield first
        yield from blocks
        return
    try:
        yield from unpack(chain([first], blocks), packed)
    except Damaged as error:
        raise BadInput(f"{name}: the {packed} stream {error}", hint=_AGAIN) from error
