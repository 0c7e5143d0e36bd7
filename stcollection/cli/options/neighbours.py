"""Options of expansion by nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.qrels.expand import NeighbourRules

_neighbours_options = together(
    click.option("--from-rel", type=int, default=2, show_default=True, help="The lowest grade that is expanded."),
    click.option("--rel", type=int, help="The grade the neighbours get.  [default: that of the document they are near to]"),
    click.option(
        "--field",
        type=click.Choice(["title", "abstract", "content"]),
        default="title",
        show_default=True,
        help="By whose vectors documents are near.",
    ),
    click.option("--model", metavar="SHORT", help="Whose vectors.  [default: the collection's default model]"),
    click.option(
        "--test",
        "test",
        multiple=True,
        metavar="EDITION",
        help="A test edition whose queries may be expanded; else they are refused. Repeat it for more.",
    ),
    click.option(
        "--exact/--by-index",
        "effort",
        default=True,
        show_default=True,
        callback=lambda _, __, exact: 0 if exact else None,
        help="Compare with every document, or take the vector index: quicker over millions, a little short.",
    ),
)


def neighbours_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the neighbours, which the command gets as ``rules``."""
    return _neighbours_options(packed(NeighbourRules, "rules")(command))
