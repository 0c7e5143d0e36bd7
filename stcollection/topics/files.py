"""Files of lines, as topics, runs and judgments come: plain, .gz or .zst, whatever their name says; errors by file and line."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

import zstandard

from stcollection.errors import BadArgument, BadInput

_PIECE = 1 << 22
Progress = Callable[[int, int | None], None]


def sha256(path: Path) -> str:
    """Of the bytes as they lie on disk, compressed or not; 64 hex digits."""
    with _open(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _open(path: Path) -> BufferedReader:
    if path.is_dir():
        raise BadArgument(f"{path} is a folder", hint="Name the files in it.")
    return path.open("rb")


def bad_line(path: Path, line: int, what: str, *, hint: str, sqlstate: str = "IR301") -> BadInput:
    """The error for one line of a file. :param line: counted from 1."""
    return BadInput(f"{path}:{line}: {what}", hint=hint, sqlstate=sqlstate)


def clip(value: object, width: int = 60) -> str:
    """A value as a message shows it: quoted and cut."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return repr(text if len(text) <= width else text[: width - 1] + "…")


def plain(raw: BinaryIO, *, step: int = _PIECE) -> Iterator[bytes]:
    """The decompressed bytes of a file, piece by piece; what it is compressed by is told by its first bytes.

    :param step: bytes of a zstd file read at a time: one byte may unpack to some 30,000.
    """
    magic = raw.read(4)
    raw.seek(0)
    if magic[:2] == b"\x1f\x8b":
        with gzip.GzipFile(fileobj=raw) as unzipped:
            yield from iter(lambda: unzipped.read(_PIECE), b"")
    elif magic == b"\x28\xb5\x2f\xfd":
        yield from _unzstd(raw, step)
    else:
        yield from iter(lambda: raw.read(_PIECE), b"")


def _unzstd(raw: BinaryIO, step: int) -> Iterator[bytes]:
    """The decompressed bytes of a zstd file, which may have several frames."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    for piece in iter(lambda: raw.read(step), b""):
        if frame.eof:
            frame = zstandard.ZstdDecompressor().decompressobj()
        yield frame.decompress(piece)
        while frame.eof and frame.unused_data:  # the next frame begins in this piece
            piece, frame = frame.unused_data, zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(piece)
    if not frame.eof:
        raise EOFError("the last frame is not complete")


def blocks(path: Path, *, progress: Progress | None = None) -> Iterator[tuple[int, bytes]]:
    """The file in blocks of whole lines, each with the number of its first line (from 1); memory does not grow with the file.

    The bytes are UTF-8 without U+0000, and without a byte order mark at the start.

    :param progress: called with the bytes read of the file as it lies on disk, and its size.
    :raises BadInput: not UTF-8, U+0000, or damaged compression; with file and line.
    """
    first, rest = 1, [b""]
    with _open(path) as raw:
        size = path.stat().st_size
        try:
            for piece in plain(raw):
                if progress is not None:
                    progress(raw.tell(), size)
                cut = piece.rfind(b"\n") + 1
                if cut:
                    block = b"".join([*rest, piece[:cut]])
                    yield first, _checked(path, first, block)
                    first += block.count(b"\n")
                    rest = []
                rest.append(piece[cut:])
        except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
            raise BadInput(
                f"{path}: the compressed data is cut short or damaged ({error})", hint="Fetch the file again; nothing was stored.",
                sqlstate="IR301",
            ) from error  # fmt: skip
    if last := b"".join(rest):
        yield first, _checked(path, first, last)


def read_text(path: Path) -> str:
    """The whole file as text without a byte order mark; line ends are as they were.

    :raises BadInput: as :func:`blocks`.
    """
    return b"".join(block for _, block in blocks(path)).decode()


def _checked(path: Path, first: int, block: bytes) -> bytes:
    if first == 1 and block.startswith(b"\xef\xbb\xbf"):
        block = block[3:]
    try:
        block.decode()
    except UnicodeDecodeError as error:
        raise bad_line(
            path, first + block.count(b"\n", 0, error.start), f"not UTF-8: byte {block[error.start]:#04x}",
            hint="Convert the file, for example: iconv -f latin1 -t utf-8.", sqlstate="IR303",
        ) from error  # fmt: skip
    if (at := block.find(b"\0")) >= 0:
        raise bad_line(
            path, first + block.count(b"\n", 0, at), "holds U+0000, which PostgreSQL cannot store",
            hint="Remove it, for example: tr -d '\\000'.", sqlstate="IR303",
        )  # fmt: skip
    return block


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of the file that hold anything, without their line ends, each with its number (from 1)."""
    for number, line in enumerate(io.StringIO(read_text(path), newline=None), 1):
        if line.strip():
            yield number, line.rstrip("\n")
