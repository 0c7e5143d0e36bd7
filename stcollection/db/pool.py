"""Work spread over processes, each with a connection of its own; or done here when there is little.

joblib (loky) was tried in its place, with four workers on two cores. Its first outcome came after 5.7 to 7.2 s, ours after 0.7 to
0.9 s. Its workers, with their connections, outlived a parent that was killed; ours end with its pipe. Its error of a killed worker
does not say which item was lost.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from stcollection.errors import BadArgument, DatabaseError, StcError

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
# Makes what does the work: opened in the process that does it. It is pickled, with all it holds.
Opener = Callable[[], AbstractContextManager[Callable[[Item], Outcome]]]

_MOST = 8


def worker_count(asked: int | None) -> int:
    """So many processes; one a core, at most 8, for None.

    :raises BadArgument: fewer than one.
    """
    if asked is not None and asked < 1:
        raise BadArgument(f"work by {asked} workers", hint="Take 1 or more.")
    if asked is not None:
        return asked
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST)


def done_here(opener: Opener[Item, Outcome], items: Iterable[Item]) -> Generator[Outcome, None, None]:
    """Work in this process, one item after another; outcomes in the order of the items."""
    with opener() as work:
        for item in items:
            yield work(item)


def done_by_workers(opener: Opener[Item, Outcome], items: Iterable[Item], *, workers: int) -> Generator[Outcome, None, None]:
    """Work by up to so many processes; outcomes in the order of the items.

    Two items a worker are held in memory. When the iteration ends early, by an error, ctrl-C or because the caller leaves it, the
    workers are killed; what they had committed stays.

    :raises StcError: that of the first item, in order, that failed.
    """
    processes = _Processes(opener)
    threads = ThreadPoolExecutor(workers, thread_name_prefix="stc-worker")
    under_way: deque[Future[Any]] = deque()
    try:
        for item in items:
            under_way.append(threads.submit(processes.work, item))
            if len(under_way) >= 2 * workers:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except BaseException:
        processes.kill()
        raise
    finally:
        threads.shutdown(cancel_futures=True)
        processes.close()


class _Processes:
    """A worker process for each thread that asks, and their end."""

    def __init__(self, opener: object) -> None:
        self._opener = opener
        self._mine = threading.local()
        self._all: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._ended = False

    def work(self, item: object) -> object:
        """Let this thread's worker do an item.

        :raises StcError: the worker's own, or that it is gone.
        """
        process = getattr(self._mine, "process", None) or self._start()
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        try:
            pickle.dump(item, process.stdin)
            process.stdin.flush()
            answer = pickle.load(process.stdout)  # noqa: S301  (from our child)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise DatabaseError(
                f"a worker process ended (exit code {process.wait()}) while it worked on {item}",
                hint="Was memory short? --workers takes fewer. Run the same command again to resume: what was committed is kept.",
            ) from error
        if isinstance(answer, StcError):
            raise answer
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        # The modules are to be found where this process finds them; ctrl-C in the terminal is for the parent alone, which then ends
        # its workers; the task goes through the pipe, since others can read the arguments of a process and it may hold a password.
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        with self._lock:
            if self._ended:
                raise DatabaseError("the work is being stopped")
            process = subprocess.Popen(
                [sys.executable, "-m", "stcollection.db.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": paths},
                start_new_session=True,
            )
            self._all.append(process)
        self._mine.process = process
        assert process.stdin is not None  # noqa: S101
        pickle.dump(self._opener, process.stdin)
        return process

    def kill(self) -> None:
        """End all workers at once; the server rolls back what they had not committed."""
        with self._lock:
            self._ended = True
            for process in self._all:
                process.kill()

    def close(self) -> None:
        """Let the workers, which are idle or killed, end."""
        for process in self._all:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):  # the rest of an item that a killed worker did not read
                        pipe.close()
            process.wait()
