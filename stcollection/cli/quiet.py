"""``--quiet``, and the notes that it leaves out."""

from __future__ import annotations

import click

_QUIET = "stcollection.quiet"  # in the context's meta: whether --quiet was given


def be_quiet(ctx: click.Context, _: click.Parameter, quiet: bool) -> None:
    """The callback of ``--quiet``: results, warnings and errors are printed, progress and notes are not."""
    if quiet:
        ctx.meta[_QUIET] = True


def is_quiet() -> bool:
    """Whether the command that runs was given --quiet."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx is not None and ctx.meta.get(_QUIET))


def aside(note: str) -> None:
    """Print a note on the result on stderr, unless the command is to be quiet."""
    if not is_quiet():
        click.echo(note, err=True)
