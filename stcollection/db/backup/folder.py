"""Claim the folder of a dump, which must be empty and is emptied again if the dump fails.

During the dump it contains a file ``unfinished``, locked by the dump and its child processes. A killed dump leaves the file without
the lock, and the next dump into the folder starts again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from stcollection.db.backup import manifest
from stcollection.errors import BadArgument, StateError

_MARK = "unfinished"


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[int]:
    """Claim the folder for this dump; empty it again if the block fails.

    :returns: the open file with the lock, to be inherited by child processes.
    :raises BadArgument: the folder is not empty. :raises StateError: another dump is writing to it.
    """
    existed = folder.exists()
    if existed and not folder.is_dir():
        raise BadArgument(f"{folder} is a file", hint="Name a new or empty folder.")
    mark = folder / _MARK
    if existed and not mark.exists() and any(folder.iterdir()):
        what = "a dump" if (folder / manifest.NAME).exists() else "other files"
        raise BadArgument(f"the folder {folder} is not empty: it contains {what}", hint="Name a new or empty folder.")
    if existed and (folder / manifest.NAME).exists():
        raise BadArgument(f"the folder {folder} contains a dump", hint="Name a new or empty folder.")
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StateError(f"another dump is writing to {folder}", hint="Wait for it, or name another folder.") from error
        try:
            _clear(folder)
            yield handle
        except BaseException:
            _clear(folder)
            mark.unlink(missing_ok=True)
            if not existed:
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise
        mark.unlink()
    finally:
        os.close(handle)


def _clear(folder: Path) -> None:
    """Remove everything except the mark. The manifest is removed first, so that the rest is not a valid dump."""
    for path in sorted(folder.iterdir(), key=lambda file: file.name != manifest.NAME):
        if path.name != _MARK:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
