"""A process that works for another: ``python -m stcollection.db.worker``.

Reads from standard input, pickled, first an opener and then items (:mod:`stcollection.db.pool`); answers each item on standard
output with its outcome or an error. Ends with its input: also when the parent is killed. It is a program of its own, not a fork or
spawn of the caller's, so that the work can be asked for by any script, notebook or test, without a guarded main module.
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
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that prints may get between the answers
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
        except BrokenPipeError:  # the parent is gone, with the answer unread
            os._exit(1)


if __name__ == "__main__":
    main()
