"""How ``stc runs`` writes files and tells what others' files hold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def output(out: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that is there only once it is whole."""
    if out is None:
        yield sys.stdout.buffer
        return
    part = out.with_name(out.name + ".part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def printable(text: str) -> str:
    """Text that is safe on a terminal: what cannot be printed, as a file of others may hold, is shown by its escape."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
