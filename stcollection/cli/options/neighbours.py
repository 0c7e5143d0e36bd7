"""Options of expansion by nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.queries import queries_option
from stcollection.qrels.expand import NeighbourRules

_neighbours_options = together(
    queries_option,
    click.option("--from-rel", type=int, default=2, show_default=True, help="Lowest grade of the documents to expand."),
    click.option("--rel", type=int, help="Grade of the new judgments.  [default: the grade of the expanded document]"),
    click.option(
        "--field",
        type=click.Choice(["title", "abstract", "content"]),
        default="title",
        show_default=True,
        help="Field whose vectors define the neighbours.",
    ),
    click.option("--model", metavar="SHORT", help="Embedding model.  [default: the collection's default model]"),
    click.option(
        "--test",
        "test",
        multiple=True,
        metavar="EDITION",
        help="Allow expansion of the queries of this test edition, which is otherwise an error. Repeatable.",
    ),
    click.option(
        "--exact/--by-index",
        "effort",
        default=True,
        show_default=True,
        callback=lambda _, __, exact: 0 if exact else None,
        help="Compare with every document, or use the vector index: faster for millions of documents, slightly less complete.",
    ),
)


def neighbours_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the neighbours, passed to the command as ``rules``."""
    return _neighbours_options(packed(NeighbourRules, "rules")(command))
