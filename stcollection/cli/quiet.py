"""The option ``--quiet``, and the notes that it suppresses."""

from __future__ import annotations

import click

_QUIET = "stcollection.quiet"  # in the context's meta: whether --quiet was given


def be_quiet(ctx: click.Context, _: click.Parameter, quiet: bool) -> None:
    """The callback of ``--quiet``: print results, warnings and errors, but no progress and no notes."""
    if quiet:
        ctx.meta[_QUIET] = True


def is_quiet() -> bool:
    """Return whether the running command was given --quiet."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx is not None and ctx.meta.get(_QUIET))


def aside(note: str) -> None:
    """Print a note on the result on stderr, unless the command is quiet."""
    if not is_quiet():
        click.echo(note, err=True)
