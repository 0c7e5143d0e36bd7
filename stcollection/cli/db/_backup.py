"""What dump and restore share."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click

from stcollection.cli.output import printable

jobs_option = click.option("--jobs", type=int, metavar="N", help="Tables and indexes at a time.  [default: one a core, at most 8]")


def names(given: str | None) -> list[str]:
    """The names of a list separated by commas, each once."""
    return list(dict.fromkeys(one.strip() for one in (given or "").split(",") if one.strip()))


@contextmanager
def stoppable() -> Iterator[None]:
    """Have a stop by the system (SIGTERM) clean up as ctrl-C does."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def tell(message: str) -> None:
    click.echo(printable(message), err=True)
