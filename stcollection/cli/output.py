"""What commands print: tables for people, JSON, CSV, Markdown and LaTeX for what comes next; progress on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

import click
from tqdm import tqdm

from stcollection.analysis.rendering import FORMATS as FORMATS
from stcollection.analysis.rendering import render as render

format_option = click.option(
    "--format", "style", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print it."
)


class Progress:
    """A bar on stderr for a callback that tells ``(done, total)``, total None while unknown.

    Where stderr is no terminal it is silent, or, with ``STC_PROGRESS_SECONDS``, a line each so many seconds: for a log.
    """

    def __init__(self, title: str, *, unit: str, scale: bool = False) -> None:
        self._bar = tqdm(
            desc=title,
            unit=unit if unit in ("", "B") else f" {unit}",
            unit_scale=scale,
            disable=None,
            dynamic_ncols=True,
            leave=False,
        )
        seconds = os.environ.get("STC_PROGRESS_SECONDS", "")
        self._every = float(seconds) if seconds.isdecimal() and not sys.stderr.isatty() else None
        self._title, self._unit = title, unit
        self._said = self._started = time.monotonic()

    def _line(self, done: int, total: int | None, note: str) -> None:
        self._said = time.monotonic()
        share = f" of {total:,} {self._unit} ({100 * done / total:.1f} %)" if total else f" {self._unit}"
        after = f"{self._said - self._started:,.0f} s"
        click.echo(f"{self._title}: {done:,}{share}{f', {note}' if note else ''}, after {after}", err=True)

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        if self._every is not None and time.monotonic() - self._said >= self._every:
            self._line(done, total, note)
        if total is not None:
            self._bar.total = total
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(done - self._bar.n)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


Callback = Callable[[int, int | None], None]
