"""A process that stores chunks: ``python -m stcollection.corpus.worker``.

Reads from standard input, pickled, first a Task and then Chunks; answers each Chunk on standard output with an Outcome or an error.
Ends with its input: also when the parent is killed. It is a program of its own, not a fork or spawn of the caller's, so that a load
works from any script, notebook or test, without a guarded main module.
"""

from __future__ import annotations

import os
import pickle
import sys

import psycopg

from stcollection.corpus.store import Store
from stcollection.errors import StcError, from_postgres


def main() -> None:
    """Serve the parent until it closes the pipe."""
    tasks = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that prints may get between the answers
    store: Store | None = None
    try:
        task = pickle.load(tasks)  # noqa: S301  (from our parent)
        while True:
            chunk = pickle.load(tasks)  # noqa: S301
            try:
                store = store or Store(task)
                answer: object = store(chunk)
            except StcError as error:
                answer = error
            except psycopg.Error as error:
                answer = from_postgres(error)
            pickle.dump(answer, answers)
            answers.flush()
    except EOFError:
        if store is not None:
            store.close()
    except BrokenPipeError:  # the parent is gone, with the answer unread
        os._exit(1)


if __name__ == "__main__":
    main()
