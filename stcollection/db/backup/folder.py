"""The folder that a dump is written to: empty before, and so again where the dump does not end.

A file ``unfinished`` stands in it meanwhile, locked by the dump and the programs it starts: one that was killed leaves the file
without the lock, and the next dump into the folder begins anew.
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
    """The folder for this dump alone; emptied again if the block fails.

    :returns: the open file that holds the lock, for programs to hold too.
    :raises BadArgument: something is in the folder. :raises StateError: another dump is writing to it.
    """
    there = folder.exists()
    if there and not folder.is_dir():
        raise BadArgument(f"{folder} is a file", hint="Name a folder that is empty or not there.")
    mark = folder / _MARK
    if there and not mark.exists() and any(folder.iterdir()):
        what = "a dump" if (folder / manifest.NAME).exists() else "something else"
        raise BadArgument(f"the folder {folder} is not empty: it holds {what}", hint="Name a folder that is empty or not there.")
    if there and (folder / manifest.NAME).exists():
        raise BadArgument(f"the folder {folder} holds a dump", hint="Name a folder that is empty or not there.")
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
            if not there:
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise
        mark.unlink()
    finally:
        os.close(handle)


def _clear(folder: Path) -> None:
    """Remove all but the mark. The manifest goes first: what is half removed is no dump."""
    for path in sorted(folder.iterdir(), key=lambda one: one.name != manifest.NAME):
        if path.name != _MARK:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
