"""Options of expansion by nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def neighbours_options(command: Command) -> Command:
    """What says whose neighbours, by which vectors."""
    for option in (
        click.option("--exact/--by-index", default=True, show_default=True,
                     help="Compare with every document, or take the vector index: quicker over millions, a little short."),
        click.option("--test", "test", multiple=True, metavar="EDITION",
                     help="A test edition whose queries may be expanded; else they are refused. Repeat it for more."),
        click.option("--model", metavar="SHORT", help="Whose vectors.  [default: the collection's default model]"),
        click.option("--field", type=click.Choice(["title", "abstract", "content"]), default="title", show_default=True,
                     help="By whose vectors documents are near."),
        click.option("--rel", type=int, help="The grade the neighbours get.  [default: that of the document they are near to]"),
        click.option("--from-rel", type=int, default=2, show_default=True, help="The lowest grade that is expanded."),
    ):  # fmt: skip
        command = option(command)
    return command
