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


def main() -> None:
    """Serve the parent until it closes the pipe."""
    tasks = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # printed text must not mix with the answers
    work: Any = None
    with ExitStack() as opened:
        try:
            opener = pickle.load(tasks)  # noqa: S301  (from our parent)
            while True:
                item = pickle.load(tasks)  # noqa: S301
                try:
                    work = work or opened.enter_context(opener())
                    answer: object = work(item)
                except StcError as error:
                    answer = error
                except psycopg.Error as error:
                    answer = from_postgres(error)
                pickle.dump(answer, answers)
                answers.flush()
        except EOFError:
            return
        except BrokenPipeError:  # the parent is gone without reading the answer
            os._exit(1)


if __name__ == "__main__":
    main()
