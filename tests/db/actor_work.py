"""Work for actors of Ray, run in another process: ``python -m tests.db.actor_work FOLDER LETHAL FIRST LAST`` prints JSON."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from stcollection.db.actors import run_in_actors
from stcollection.db.pool import LOCAL, RayActors
from stcollection.errors import BadArgument, StcError


@contextmanager
def opened(folder: Path, lethal: int) -> Iterator[Callable[[int], tuple[int, int]]]:
    """Note each item in a file. The process kills itself at the item ``lethal``: once, or always if it is negative."""

    def work(item: int) -> tuple[int, int]:
        if item == abs(lethal) and (lethal < 0 or not (folder / "killed").exists()):
            (folder / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if item == 13:
            raise BadArgument("the number 13", hint="Take another.")
        time.sleep(0.05)
        with (folder / "items").open("a") as file:
            file.write(f"{item}\n")
        return item, os.getpid()

    yield work


def main(folder: str, lethal: int, first: int, last: int) -> None:
    """Print the outcomes, or the type, message, hint and SQLSTATE of the error; and whether Ray still runs."""
    from tests.db.actor_work import opened  # by its name, so that actors find it

    try:
        actors = RayActors(address=LOCAL, count=2)
        told: object = list(run_in_actors(partial(opened, Path(folder), lethal), range(first, last), actors=actors))
    except StcError as error:
        told = [type(error).__name__, str(error), error.hint, error.sqlstate]
    print(json.dumps([told, sys.modules["ray"].is_initialized()]))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
