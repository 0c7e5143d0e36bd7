"""Output of commands: tables for people; JSON, CSV, Markdown and LaTeX for programs and papers; progress on stderr."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.core import ParameterSource

from stcollection.analysis.rendering import FORMATS as FORMATS
from stcollection.analysis.rendering import render as _render
from stcollection.cli.quiet import is_quiet
from stcollection.counts import counted
from stcollection.declared import listen
from stcollection.io.writing import output as output

STYLE = "stcollection.style"  # in the context's meta: the value of a --format before the command
_RAW = "stcollection.raw"  # in the context's meta: whether --format is csv-raw
STYLES = (*FORMATS, "csv-raw")  # csv-raw: cells that a spreadsheet would read as formulas are not escaped


def keep_style(ctx: click.Context, parameter: click.Parameter, style: str) -> str:
    """The callback of --format after a command. The one before the command is the default."""
    if ctx.get_parameter_source(parameter.name or "") is ParameterSource.DEFAULT:
        style = ctx.meta.get(STYLE, style)
    ctx.meta[_RAW] = style == "csv-raw"
    return style.removesuffix("-raw")


def format_options(*more: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option ``--format``, passed to a command as ``style``.

    :param more: formats that this command accepts in addition to those of tables.
    """
    return click.option(
        "--format",
        "style",
        type=click.Choice([*more, *STYLES]),
        default="table",
        show_default=True,
        callback=keep_style,
        help="Output format.",
    )


format_option = format_options()


def is_raw() -> bool:
    """Return whether the running command prints cells of CSV unchanged."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx is not None and ctx.meta.get(_RAW))


def render(rows: Sequence[Sequence[Any]], headers: Sequence[str], *, style: str) -> str:
    """Return rows as text in one of FORMATS; see :func:`stcollection.analysis.rendering.render`."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return _render(rows, headers, style=style, raw=is_raw(), simulated=note_in(style), width=width)


_NOTES = "stcollection.simulated"


def keep_note(note: str) -> None:
    """Keep a note on simulated data that the running command shows. The library calls it with what a function has read."""
    if ctx := click.get_current_context(silent=True):
        ctx.meta.setdefault(_NOTES, {}).setdefault(ctx, {})[note] = None


listen(keep_note)


def simulated() -> str | None:
    """Return the note on simulated data for the running command; None if it shows none."""
    ctx = click.get_current_context(silent=True)
    notes = ctx.meta.get(_NOTES, {}).get(ctx) if ctx else None
    return " ".join(notes) if notes else None


def marked(record: dict[str, Any]) -> dict[str, Any]:
    """Add the field ``simulated`` to a record for JSON if the running command shows simulated data."""
    return {**record, "simulated": True} if simulated() else record


def print_simulated() -> None:
    """Print the note on stderr, for formats that have no place for it."""
    if note := simulated():
        click.echo(f"stc: {note}", err=True)


def note_in(style: str) -> str | None:
    """Return the note to put into a table for programs or papers. For people, it is printed once, when the command ends."""
    note = simulated()
    if note is None or style not in ("table", "markdown"):
        return note
    ctx = click.get_current_context()
    printed = ctx.meta.setdefault(f"{_NOTES}.printed", set())
    if (ctx, note) not in printed:
        printed.add((ctx, note))
        ctx.call_on_close(lambda: click.echo(f"\n{note}"))
    return None


class ProgressBar:
    """A progress bar on stderr. Call it with ``(done, total)``; total is None while unknown.

    If stderr is not a terminal, it prints nothing or, with ``STC_PROGRESS_SECONDS``, one line per that many seconds, for logs.
    """

    def __init__(self, title: str, *, unit: str, scale: bool = False) -> None:
        from tqdm import tqdm

        self._bar = tqdm(
            desc=title,
            unit=unit if unit in ("", "B") else f" {unit}",
            unit_scale=scale,
            disable=True if is_quiet() else None,
            dynamic_ncols=True,
            leave=False,
        )
        seconds = os.environ.get("STC_PROGRESS_SECONDS", "")
        self._every = float(seconds) if seconds.isdecimal() and not sys.stderr.isatty() and not is_quiet() else None
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

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


def printable(text: str) -> str:
    """Return text that is safe to print on a terminal: unprintable characters are replaced by their escapes."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def unknown(done: Any) -> list[str]:
    """Return phrases on queries and documents that are not in the collection: stored as stubs, or skipped."""
    told = []
    for one, kind in (("query", "queries"), ("document", "documents")):
        if new := getattr(done, f"new_{kind}"):
            told.append(f"{counted(new, one)} not in the collection, stored as {'a stub' if new == 1 else 'stubs'}")
        if skipped := getattr(done, f"skipped_{kind}"):
            told.append(f"{counted(skipped, 'line')} skipped for unknown {kind}")
    return told


def one_line(text: str | None, whole: bool) -> str | None:
    """Return text on one line, without characters that a terminal would interpret."""
    if text is None:
        return None
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in json.dumps(text, ensure_ascii=False)[1:-1])
    return line if whole or len(line) <= 60 else line[:59] + "…"
