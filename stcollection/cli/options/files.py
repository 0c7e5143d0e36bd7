"""Options of commands that read files of runs, judgments or scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stcollection.runs.load import UNKNOWN, UNKNOWN_DOCUMENTS

FILE = click.Path(path_type=Path)  # a file that is not there is told as any other error
unknown_docs_option = click.option(
    "--unknown-docs",
    "unknown_documents",
    type=click.Choice(UNKNOWN_DOCUMENTS),
    default="few",
    show_default=True,
    help="Documents that the collection has not: store by name alone, so that ranks do not change (stub), do so if they are"
    " at most 10 or 10 %, and not more than half, and stop otherwise (few), skip their lines, or stop (error). A collection without"
    " any document takes all.",
)


def _policy(name: str, parameter: str, what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        name,
        parameter,
        type=click.Choice(UNKNOWN),
        default="stub",
        show_default=True,
        help=f"{what} that the collection has not: store by name alone, so that ranks stay as they are, skip their lines, or stop.",
    )


unknown_queries_option = _policy("--unknown-queries", "unknown_queries", "Queries")
