"""Work of other threads and processes, and waiting for it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
# Background processes ignore ctrl-C; this one hears it.
HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from stcollection.__main__ import main; main()"


def at_once(work: Callable[..., T], *values: Iterable[Any]) -> list[T]:
    """Call a function as ``map`` does, but each time in a separate thread. An error in one of them is raised."""
    with ThreadPoolExecutor(32) as pool:
        return list(pool.map(work, *values))


def until(condition: Callable[[], object], *, seconds: float = 60) -> None:
    """Wait for a condition, and fail if it does not come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition never became true"
        time.sleep(0.01)


def background(*words: str, env: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start ``stc`` in a separate process group, which hears ctrl-C."""
    return subprocess.Popen(
        [sys.executable, "-c", HEARS, *words],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
