"""What commands print: tables for people, JSON, CSV, Markdown and LaTeX for what comes next; progress on stderr."""

from __future__ import annotations

from collections.abc import Callable

import click
from tqdm import tqdm

from stcollection.analysis.rendering import FORMATS as FORMATS
from stcollection.analysis.rendering import render as render

format_option = click.option(
    "--format", "style", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print it."
)


class Progress:
    """A bar on stderr for a callback that tells ``(done, total)``, total None while unknown; silent where stderr is no terminal."""

    def __init__(self, title: str, *, unit: str, scale: bool = False) -> None:
        self._bar = tqdm(desc=title, unit=unit, unit_scale=scale, disable=None, dynamic_ncols=True, leave=False)

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
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
