"""Paths that can be read only once, and archives in memory."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread


@contextmanager
def piped(content: bytes) -> Iterator[Path]:
    """Yield the path of a pipe with this content, as a shell makes it for ``<(…)``."""
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as file:
            file.write(content)

    writer = Thread(target=write, daemon=True)
    writer.start()
    try:
        yield Path(f"/dev/fd/{reading}")
    finally:
        os.close(reading)
        writer.join()


def zipped(*members: tuple[str, bytes]) -> bytes:
    """Return an archive of files, by name and content."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()
