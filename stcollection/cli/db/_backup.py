"""Options shared by dump and restore."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click

from stcollection.cli.output import printable

jobs_option = click.option(
    "--jobs", type=int, metavar="N", help="Number of parallel jobs for tables and indexes.  [default: one per core, at most 8]"
)


def names(given: str | None) -> list[str]:
    """Split a comma-separated list of names, without duplicates."""
    return list(dict.fromkeys(one.strip() for one in (given or "").split(",") if one.strip()))


@contextmanager
def stoppable() -> Iterator[None]:
    """Handle SIGTERM like ctrl-C, so that it cleans up too."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def print_note(message: str) -> None:
    click.echo(printable(message), err=True)
