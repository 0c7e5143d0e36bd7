"""A worker process of :mod:`stcollection.db.pool`: ``python -m stcollection.db.worker``.

It reads a pickled opener and then items from standard input, and writes the result or error of each item to standard output. It
exits at the end of its input, also if the parent is killed. It is a separate program, not forked or spawned, so that any script,
notebook or test can use it without a guarded main module.
"""

from __future__ import annotations

import os
import pickle
import sys
from contextlib import ExitStack
from typing import Any

import psycopg

from stcollection.errors import StcError, from_postgres


class Worker:
    """The work of one process, opened with its first item. :param opened: closes it."""

    def __init__(self, opener: Any, opened: ExitStack) -> None:
        self._opener = opener
        self._opened = opened
        self._work: Any = None

    def work(self, item: object) -> object:
        """Return the outcome of an item, or its error."""
        try:
            self._work = self._work or self._opened.enter_context(self._opener())
            return self._work(item)
        except StcError as error:
            return error
        except psycopg.Error as error:
            return from_postgres(error)


def main() -> None:
    """Serve the parent until it closes the pipe."""
    tasks = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # printed text must not mix with the answers
    with ExitStack() as opened:
        try:
            worker = Worker(pickle.load(tasks), opened)  # noqa: S301  (from our parent)
            while True:
                pickle.dump(worker.work(pickle.load(tasks)), answers)  # noqa: S301
                answers.flush()
        except EOFError:
            return
        except BrokenPipeError:  # the parent is gone without reading the answer
            os._exit(1)


if __name__ == "__main__":
    main()
