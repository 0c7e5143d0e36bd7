"""The standard streams of the command ``stc``: the encoding of its output, closed streams, and readers that end early."""

from __future__ import annotations

import io
import os
import sys
from typing import Any


class _Output(io.FileIO):
    """A stream whose reader may end, such as ``| head``: the rest is discarded, and the command still finishes its work."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            _discard(self.fileno())
            return memoryview(data).nbytes


def prepare() -> None:
    """Prepare the standard streams, before anything is printed.

    Files and pipes receive UTF-8, whatever the locale and ``PYTHONIOENCODING``. A terminal receives its own encoding, with escapes
    for characters that it lacks. Output to a closed stream is discarded.
    """
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1" and sys.executable:
        # In the locale C, with UTF-8 mode switched off: arguments and names of files are read as UTF-8, too.
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, sys.orig_argv)
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # a file that is opened later would take its place
            _discard(number)
    sys.stdout = _stream(sys.stdout, 1)
    sys.stderr = _stream(sys.stderr, 2)


def _stream(stream: Any, number: int) -> Any:
    if stream is not None and stream.isatty():
        stream.reconfigure(errors="backslashreplace")
        return stream
    direct = stream is not None and stream.write_through
    raw = _Output(number, "w", closefd=False)
    return io.TextIOWrapper(
        raw if direct else io.BufferedWriter(raw),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=number == 2,
        write_through=direct,
    )


def _discard(number: int) -> None:
    """Let a file descriptor lead nowhere, also in programs that are started later."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere == number:
        os.set_inheritable(number, True)
        return
    os.dup2(nowhere, number)
    os.close(nowhere)
