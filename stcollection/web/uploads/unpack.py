"""Unpack an uploaded file into a private plain copy, within its limits; refuse what is not a text file."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stcollection.counts import counted
from stcollection.errors import BadInput, StcError
from stcollection.io.compression import ZIP, Damaged, TooLarge, kind
from stcollection.io.streams import Several, content
from stcollection.web.uploads.files import UploadedFile, Uploads

_BEGIN = 2**13
_ENDINGS = (".gz", ".zst", ".bz2", ".xz", ".zip", ".parquet")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def unpack(uploads: Uploads, file: UploadedFile) -> Path:
    """Return the plain copy of a file; create it on the first call, and remove the original.

    The limit of a file holds before and after unpacking. A file that unpacks to 200 times its size or more is refused too.

    :raises BadInput: it is damaged, packed twice, binary, empty or too large; or an archive of several files.
    :raises UploadRefused: the server has no room.
    """
    with file.lock:  # a check that was cancelled may still be unpacking it
        if file.plain is None:
            plain = file.folder / _plain_name(file)
            try:
                _write(uploads, file, plain)
            except BaseException:
                plain.unlink(missing_ok=True)
                file.stored = file.size
                raise
            file.raw.unlink()
            file.stored -= file.size
            file.plain = plain
        return file.plain


def _plain_name(file: UploadedFile) -> str:
    name = file.safe_name
    while name.lower().endswith(_ENDINGS):
        name = name.rpartition(".")[0] or "file"
    return "file" if name == file.raw.name else name


def _write(uploads: Uploads, file: UploadedFile, plain: Path) -> None:
    try:
        with file.raw.open("rb") as source, plain.open("wb") as out:
            size = 0
            for piece in content(source):
                size += len(piece)
                if size > uploads.limit:
                    raise TooLarge(f"the file unpacks to more than {counted(uploads.limit, 'byte')}")
                uploads.reserve(file, len(piece))
                out.write(piece)
        _check(file.name, plain)
    except Damaged as error:
        raise BadInput(f"{file.name} is damaged: its compressed data {error}", hint="Compress it again and upload it.") from error
    except Several as error:
        raise BadInput(f"{file.name} is {error}", hint="Unpack it and upload the files one by one.") from error
    except TooLarge as error:
        raise BadInput(
            f"{file.name}: {error}", hint="Upload a smaller file, or use the command line, which has no limit."
        ) from error


def _check(name: str, plain: Path) -> None:
    with plain.open("rb") as file:
        begin = file.read(_BEGIN)
    if not begin.strip():
        raise BadInput(f"{name} is empty", hint="Choose another file.")
    if kind(begin) is not None or begin.startswith(ZIP):
        raise BadInput(f"{name} is compressed twice", hint="Unpack it once and upload the result.")
    if b"\0" in begin and not begin.startswith(_UTF16):
        raise BadInput(f"{name} is a binary file, not text", hint="Upload a run, topics, judgments or documents as text.")


@contextmanager
def named(file: UploadedFile) -> Iterator[None]:
    """Name the uploaded file in errors instead of its temporary path."""
    try:
        yield
    except StcError as error:
        paths = (str(file.plain), str(file.folder / "raw"), str(file.folder)) if file.plain else (str(file.folder),)
        for path in paths:
            error.message = error.message.replace(path, file.name)
            error.hint = error.hint and error.hint.replace(path, file.name)
        error.args = (error.message,)
        raise
