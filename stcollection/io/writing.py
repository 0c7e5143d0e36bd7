"""Write files that appear only when they are complete."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from stcollection.errors import BadArgument

#: Functions that compress a file, by its suffix.
_PACKED: dict[str, Any] = {
    ".gz": lambda file: gzip.GzipFile("", "wb", fileobj=file, mtime=0),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".zst": lambda file: zstandard.ZstdCompressor().stream_writer(file, closefd=False),
}


@contextmanager
def replace_files(*paths: Path) -> Iterator[list[Path]]:
    """Yield a temporary name in the folder of each file; rename the files when the block ends.

    If the block fails, the temporary files are removed and existing files stay unchanged.

    :raises BadArgument: a folder does not exist.
    """
    for path in paths:
        if not path.parent.is_dir():
            raise BadArgument(f"there is no folder {path.parent}", hint=f"Create it: mkdir -p {shlex.quote(str(path.parent))}")
    parts = [path.with_name(f"{path.name}.{os.urandom(4).hex()}.part") for path in paths]
    try:
        yield parts
        for part, path in zip(parts, paths, strict=True):
            part.replace(path)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder on the same disk, and rename it when the block ends; if the block fails, it is removed."""
    parents = path.absolute().parents
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=next(folder for folder in parents if folder.exists())) as scratch:
        part = Path(scratch, path.name)
        part.mkdir()
        yield part
        path.parent.mkdir(parents=True, exist_ok=True)
        part.rename(path)


@contextmanager
def output(path: Path | None, *, synced: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that appears only when it is complete.

    Unless synced, it is compressed if its name ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.

    :param path: a device or pipe is written directly; None means standard output.
    :param synced: wait until the file is on disk, so that a power cut leaves either the old or the new file.
    :raises BadArgument: the folder does not exist, or the name ends in ``.zip``.
    """
    if path is None:
        yield sys.stdout.buffer
        return
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as device:
            yield device
        return
    if path.suffix == ".zip" and not synced:
        raise BadArgument(f"{path} would not be a zip archive", hint=f"Compressed files are written as {', '.join(_PACKED)}.")
    with replace_files(path) as [part], part.open("wb") as file:
        if path.suffix in _PACKED and not synced:
            with _PACKED[path.suffix](file) as compressed:
                yield cast(BinaryIO, compressed)
            return
        yield file
        if synced:
            file.flush()
            os.fsync(file.fileno())
    if synced:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
