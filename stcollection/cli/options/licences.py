"""The option that limits an export to documents with some licences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.errors import BadArgument


def _names(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    names = tuple(name for one in text.split(",") if (name := one.strip()))
    if not names:
        raise BadArgument("--licence names no licence", hint="For example --licence cc-by,cc0.")
    return names


def licence_option(use: str) -> Callable[..., Any]:
    """Return the option ``--licence`` of a command. :param use: its effect, for the help."""
    return click.option(
        "--licence",
        "licences",
        metavar="LIST",
        callback=_names,
        help=f"{use} ('stc show licences'), separated by commas; none: without a licence.",
    )
