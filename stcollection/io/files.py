"""Read files of lines (topics, runs, judgments, grades, answers), with errors by file and line.

A file is plain, .gz, .zst, .bz2, .xz or a .zip of one file, independent of its name; ``-`` is standard input. Line ends LF, CR LF
and CR all become LF. A byte order mark is removed. A compressed file is unpacked in small pieces, up to a limit
(:func:`~stcollection.io.compression.unpacked_limit`).
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from stcollection.counts import counted
from stcollection.errors import BadInput
from stcollection.io.compression import SETTING, Damaged, TooLarge
from stcollection.io.streams import Several, Source, content

_LONGEST = 1 << 24  # maximum bytes per line
_BOMS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_COMMENT = re.compile(rb"^[ \t\v\f]*(#[^\s#][^\n]*)", re.MULTILINE)
#: Characters that have another meaning in the lines of COPY.
ESCAPE = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
Progress = Callable[[int, int | None], None]


def sha256(path: Path) -> str:
    """Return the SHA-256 of the file on disk, before unpacking, as 64 hex digits."""
    return Source(str(path)).digest()


def bad_line(path: Path, line: int, what: str, *, hint: str, sqlstate: str | None = None) -> BadInput:
    """Return the error for a line of a file. :param line: from 1."""
    return BadInput(f"{path}:{line}: {what}", hint=hint, sqlstate=sqlstate)


def clip(value: object, width: int = 60) -> str:
    """Return a value for a message: quoted, and truncated to a width."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return repr(text if len(text) <= width else text[: width - 1] + "…")


def pieces(path: Path, *, progress: Progress | None = None) -> Iterator[bytes]:
    """Yield the content of a file with LF line ends and without a byte order mark, in pieces of a few MB at most.

    :param progress: called with the number of bytes read from the file on disk, and its size.
    :raises BadInput: damaged compression, a file that unpacks to more than the limit, a .zip of several files, or UTF-16.
    """
    with Source(str(path)).again() as raw:
        size = os.fstat(raw.fileno()).st_size
        first, held = True, b""
        try:
            for piece in content(raw):
                if progress is not None:
                    progress(raw.tell(), size)
                if first:
                    piece, first = _begun(path, piece), False
                piece, held = held + piece, b""
                if b"\r" in piece:
                    if piece.endswith(b"\r"):  # perhaps the first half of CR LF
                        piece, held = piece[:-1], b"\r"
                    piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
                yield piece
        except Damaged as error:
            raise BadInput(
                f"{path}: the compressed data is truncated or damaged (it {error})", hint="Get the file again. Nothing was stored."
            ) from error
        except Several as error:
            raise BadInput(f"{path}: {error}", hint=f"Unpack it ('unzip {path}') and name the folder or its files.") from error
        except TooLarge as error:
            raise BadInput(
                f"{path}: {error}", hint=f"If the file is what you expect, raise the limit: {SETTING}=8GB stc …"
            ) from error
        if held:
            yield b"\n"


def _begun(path: Path, piece: bytes) -> bytes:
    """Return the first piece without its byte order mark."""
    if piece.startswith(_BOMS) or _is_utf16(piece[:512]):
        what = "UTF-16, not UTF-8; convert it, for example: iconv -f utf-16 -t utf-8"
        raise bad_line(path, 1, what, hint="Convert the file to UTF-8.", sqlstate="IR303")
    return piece.removeprefix(codecs.BOM_UTF8)


def _is_utf16(start: bytes) -> bool:
    """Return True if every second byte is 0, as in UTF-16 without a byte order mark."""
    half = len(start) // 2
    return half > 1 and any(not any(start[at : 2 * half : 2]) and all(start[1 - at : 2 * half : 2]) for at in (0, 1))


def blocks(path: Path, *, progress: Progress | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines, each with the number of its first line (from 1), in bounded memory.

    The bytes are UTF-8 without U+0000, with LF line ends.

    :param progress: as for :func:`pieces`.
    :raises BadInput: as :func:`pieces`; also not UTF-8, U+0000, or a line of more than 16 MB, with file and line.
    """
    first, rest, waiting = 1, [b""], 0
    for piece in pieces(path, progress=progress):
        cut = piece.rfind(b"\n") + 1
        if cut:
            block = b"".join([*rest, piece[:cut]])
            decoded(path, first, block)
            yield first, block
            first += block.count(b"\n")
            rest, waiting = [], 0
        rest.append(piece[cut:])
        waiting += len(piece) - cut
        if waiting > _LONGEST:
            raise bad_line(path, first, f"a line of more than {_LONGEST >> 20} MB", hint="Check that it is the right file.")
    if last := b"".join(rest):
        decoded(path, first, last)
        yield first, last


def read_text(path: Path, *, most: int | None = None, encoding: str = "utf-8") -> str:
    """Return the whole file as text with LF line ends.

    :param most: maximum number of bytes. :param encoding: an encoding that contains ASCII.
    :raises BadInput: as :func:`blocks`, but lines may have any length; the file has more than ``most`` bytes.
    """
    parts, size = [], 0
    for piece in pieces(path):
        parts.append(piece)
        size += len(piece)
        if most is not None and size > most:
            raise BadInput(f"{path}: more than {most >> 20} MB of text", hint="Check that it is the right file.")
    return decoded(path, 1, b"".join(parts), encoding=encoding)


def decoded(path: Path, first: int, block: bytes, *, encoding: str = "utf-8") -> str:
    """Return the text of a block of whole lines.

    :param first: the number of its first line.
    :raises BadInput: not in the encoding, or U+0000, with file and line.
    """
    try:
        text = block.decode(encoding)
    except UnicodeDecodeError as error:
        raise bad_line(
            path,
            first + block.count(b"\n", 0, error.start),
            f"not {encoding.upper()}: byte {block[error.start]:#04x}",
            hint="Convert the file, for example: iconv -f latin1 -t utf-8.",
            sqlstate="IR303",
        ) from error
    if (at := block.find(b"\0")) >= 0:
        raise bad_line(
            path,
            first + block.count(b"\n", 0, at),
            "contains U+0000, which PostgreSQL cannot store",
            hint="Remove it, for example: tr -d '\\000'.",
            sqlstate="IR303",
        )
    return text


def is_comment(line: str | bytes) -> bool:
    """Return True if a line of a run or of judgments is a comment: after white space it begins with ``#``, as in trec_eval."""
    return line.lstrip()[:1] in ("#", b"#")


def doubtful_comments(path: Path, is_row: Callable[[bytes], bool]) -> str:
    """Return a warning about comments such as ``#q1 Q0 d1 …``, which could be rows of a query ``#q1``; '' without any."""
    numbers = [
        first + block.count(b"\n", 0, comment.start(1))
        for first, block in blocks(path)
        if b"#" in block
        for comment in _COMMENT.finditer(block)
        if is_row(comment[1])
    ]
    if not numbers:
        return ""
    where = f"lines {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"line {numbers[0]}"
    return (
        f"{path}: {counted(len(numbers), 'comment')} ({where}) could be read as rows. Lines that begin with # are"
        " skipped, as by trec_eval; if # belongs to the name of the query, rename the query"
    )


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines of a file without line ends, each with its number (from 1).

    :raises BadInput: as :func:`blocks`.
    """
    for first, block in blocks(path):
        for number, line in enumerate(block.decode().split("\n"), first):
            if line.strip():
                yield number, line
