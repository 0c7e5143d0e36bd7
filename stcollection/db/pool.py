"""Distribute work over processes, each with its own connection, or do small work in this process.

We tried joblib (loky) instead, with four workers on two cores. Its first result came after 5.7 to 7.2 s, ours after 0.7 to 0.9 s.
Its workers and their connections outlived a killed parent; ours exit when the pipe closes. Its error for a killed worker does not
name the lost item.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from stcollection.counts import counted
from stcollection.declared import Option
from stcollection.errors import BadArgument, DatabaseError, StcError

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
# Opens the function that does the work, in the working process. It is pickled.
Opener = Callable[[], AbstractContextManager[Callable[[Item], Outcome]]]

_MOST = 8
LOCAL, AUTO = "local", "auto"  # addresses of Ray


@dataclass(frozen=True, kw_only=True)
class RayActors:
    """Where Ray runs, and how many actors do the work.

    ``local`` starts Ray on this machine and stops it at the end; ``auto`` uses the cluster of this machine; otherwise the address
    is that of a cluster: ``ray://head:10001`` or ``head:6379``.

    :param address: Do the work by actors of Ray: local, auto, or the address of a cluster. An extra.
    :param count: Number of actors.
    :raises BadArgument: the address is empty, or the count is below 1.
    """

    address: Annotated[str, Option("--ray", metavar="ADDRESS")]
    count: Annotated[int | None, Option("--actors", default="one per GPU if used, else one per core")] = None

    def __post_init__(self) -> None:
        if not self.address:
            raise BadArgument("the address of Ray is empty", hint=f"Give {LOCAL}, {AUTO} or an address such as ray://head:10001.")
        if self.count is not None and self.count < 1:
            raise BadArgument(f"{counted(self.count, 'actor')}", hint="Use 1 or more.")


def worker_count(count: int | None, *, per_core: int = 1) -> int:
    """Return the number of processes: the given number, or for None one per core, at most 8.

    :param per_core: more than one if they wait for the disk. :raises BadArgument: fewer than one.
    """
    if count is not None and count < 1:
        raise BadArgument(f"{counted(count, 'worker')}", hint="Use 1 or more.")
    if count is not None:
        return count
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(per_core * cores, _MOST)


def run_here(opener: Opener[Item, Outcome], items: Iterable[Item]) -> Generator[Outcome, None, None]:
    """Process items in this process; yield results in the order of the items."""
    with opener() as work:
        for item in items:
            yield work(item)


def run_in_workers(opener: Opener[Item, Outcome], items: Iterable[Item], *, workers: int) -> Generator[Outcome, None, None]:
    """Process items in several processes; yield results in the order of the items.

    Memory holds two items per worker. If the iteration ends early, by an error, Ctrl-C or the caller, the workers are killed; data
    that they committed stays.

    :raises StcError: the error of the first failed item, in order.
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


class WorkerProcess:
    """A worker process. It exits when it is closed, and when this process ends. One thread at a time can use it.

    :param opener: opens the function that does the work.
    """

    def __init__(self, opener: object) -> None:
        # The worker uses this process's module path. Ctrl-C goes to the parent only, which then ends its workers. The task goes
        # through the pipe, because other users can read arguments of processes and it may contain a password.
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        self._opener = opener
        self._begun = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "stcollection.db.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,
        )

    def work(self, item: object) -> object:
        """Process an item.

        :raises StcError: the error of the worker. :raises WorkerExited: the worker is gone.
        """
        process = self._process
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        try:
            for sent in [item] if self._begun else [self._opener, item]:
                pickle.dump(sent, process.stdin)
            self._begun = True
            process.stdin.flush()
            answer = pickle.load(process.stdout)  # noqa: S301  (from our child)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise WorkerExited(process.wait()) from error
        if isinstance(answer, StcError):
            raise answer
        return answer

    def kill(self) -> None:
        """Kill the worker; the server rolls back its uncommitted work."""
        self._process.kill()

    def close(self) -> None:
        """Wait for the worker, which is idle or killed, to exit."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # the rest of an item that a killed worker did not read
                    pipe.close()
        self._process.wait()


class WorkerExited(Exception):
    """A worker process exited, with this code, instead of answering."""


class _Processes:
    """Worker processes, one per thread."""

    def __init__(self, opener: object) -> None:
        self._opener = opener
        self._mine = threading.local()
        self._all: list[WorkerProcess] = []
        self._lock = threading.Lock()
        self._ended = False

    def work(self, item: object) -> object:
        """Process an item in this thread's worker.

        :raises StcError: the error of the worker, or the worker is gone.
        """
        process: WorkerProcess = getattr(self._mine, "process", None) or self._start()
        try:
            return process.work(item)
        except WorkerExited as error:
            raise DatabaseError(
                f"a worker process exited (code {error}) while processing {item}",
                hint="If memory was short, reduce --workers. Run the same command again to resume; committed data is kept.",
            ) from error

    def _start(self) -> WorkerProcess:
        with self._lock:
            if self._ended:
                raise DatabaseError("the work is being stopped", hint="Run the same command again: committed work is kept.")
            process = WorkerProcess(self._opener)
            self._all.append(process)
        self._mine.process = process
        return process

    def kill(self) -> None:
        """Kill all workers; the server rolls back their uncommitted work."""
        with self._lock:
            self._ended = True
            for process in self._all:
                process.kill()

    def close(self) -> None:
        """Wait for the workers, which are idle or killed, to exit."""
        for process in self._all:
            process.close()
