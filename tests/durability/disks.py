"""A small disk, and functions to fill it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.durability.servers import Ended

MEGABYTE = 2**20
SIZE = 448 * MEGABYTE
NEXT_STEP = "same command again"


@contextmanager
def full_but_for(disk: Path, free: int) -> Iterator[None]:
    """Fill the disk up to this number of free bytes."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        while (left := shutil.disk_usage(disk).free - free) > 0:
            with suppress(OSError):  # the server wrote in the meantime
                os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, left)
    try:
        yield
    finally:
        ballast.unlink()


def judge(end: Ended) -> None:
    """Check for an error message with a hint."""
    assert (end.code, "Traceback" in end.err) in ((5, False), (4, False)), end
    assert NEXT_STEP in end.err, end
    assert "space" in end.err, end
