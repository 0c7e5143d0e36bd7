"""Chunks spread over processes, or stored here when there are few."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from stcollection.corpus.chunks import Chunk
from stcollection.corpus.store import Outcome, Store, Task
from stcollection.errors import DatabaseError, StcError


def stored_here(task: Task, chunks: Iterable[Chunk]) -> Generator[Outcome, None, None]:
    """Store chunks in this process, one after another; outcomes in the order of the chunks."""
    with Store(task) as store:
        for chunk in chunks:
            yield store(chunk)


def stored_by_workers(task: Task, chunks: Iterable[Chunk], *, workers: int) -> Generator[Outcome, None, None]:
    """Store chunks by up to so many processes; outcomes in the order of the chunks.

    Two chunks a worker are held in memory. When the iteration ends early, by an error, ctrl-C or because the caller leaves it, the
    workers are killed; what they had committed stays.

    :raises StcError: that of the first chunk, in order, that failed.
    """
    processes = _Processes(task)
    threads = ThreadPoolExecutor(workers, thread_name_prefix="stc-worker")
    under_way: deque[Future[Outcome]] = deque()
    try:
        for chunk in chunks:
            under_way.append(threads.submit(processes.store, chunk))
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

    def __init__(self, task: Task) -> None:
        self._task = task
        self._mine = threading.local()
        self._all: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._ended = False

    def store(self, chunk: Chunk) -> Outcome:
        """Let this thread's worker store a chunk.

        :raises StcError: the worker's own, or that it is gone.
        """
        process = getattr(self._mine, "process", None) or self._start()
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        try:
            pickle.dump(chunk, process.stdin)
            process.stdin.flush()
            answer = pickle.load(process.stdout)  # noqa: S301  (from our child)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise DatabaseError(
                f"a worker process ended (exit code {process.wait()}) while it stored {chunk.source} from line {chunk.line}",
                hint="Was memory short? --workers takes fewer. Run the same command again to resume: what was committed is kept.",
            ) from error
        if isinstance(answer, StcError):
            raise answer
        assert isinstance(answer, Outcome)  # noqa: S101
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        # The modules are to be found where this process finds them; ctrl-C in the terminal is for the parent alone, which then ends
        # its workers; the task goes through the pipe, since others can read the arguments of a process and it may hold a password.
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        with self._lock:
            if self._ended:
                raise DatabaseError("the load is being stopped")
            process = subprocess.Popen(
                [sys.executable, "-m", "stcollection.corpus.worker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths}, start_new_session=True,
            )  # fmt: skip
            self._all.append(process)
        self._mine.process = process
        assert process.stdin is not None  # noqa: S101
        pickle.dump(self._task, process.stdin)
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
                    with contextlib.suppress(OSError):  # the rest of a chunk that a killed worker did not read
                        pipe.close()
            process.wait()
