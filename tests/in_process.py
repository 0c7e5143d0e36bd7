"""``stc`` in the process of the tests: the package is imported once, not for each command."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

from stcollection.cli import main
from stcollection.cli.aliases import renamed, renamed_options

# These replace the process, run until they are stopped, load models, or end with a traceback.
_SEPARATE = {"psql", "explore", "serve", "mcp", "demo", "--debug"}


def in_new_words(words: Sequence[str]) -> list[str]:
    """Return a command line of version 0.2 in today's words, so that no note on them is printed."""
    new = renamed(words)
    return renamed_options(words if new is None else new.args)[0]


def runs_in_process(*words: str) -> bool:
    """Whether a command can run in the process of the tests."""
    return not _SEPARATE & set(words)


def run_in_process(*words: str, environment: Mapping[str, str], stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``stc`` here, with its own environment, arguments and streams, and return what a separate process would.

    Only what belongs to a process is not tested: closed streams, signals, and what importing the package does.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True) for _ in range(2))
    errors = sys.__stdin__.errors if sys.__stdin__ else None  # as the locale has it
    given = io.TextIOWrapper(io.BytesIO(stdin or b""), encoding="utf-8", errors=errors)
    code: object = 0
    with (
        patch.dict(os.environ, environment, clear=True),
        patch.multiple(sys, argv=["stc", *words], stdin=given),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(["stc", *words], code if isinstance(code, int) else 0, *texts)
