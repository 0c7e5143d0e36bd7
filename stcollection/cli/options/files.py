"""Options of commands that read files of runs, judgments or scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stcollection.runs.load import UNKNOWN, UNKNOWN_DOCUMENTS

FILE = click.Path(path_type=Path)  # a missing file is reported like any other error
relevance_option = click.option(
    "--relevance",
    type=click.IntRange(-32768, 32767),
    metavar="N",
    help="Grade of each listed document, if the file of judgments has no grades.  [default: a file without grades is an error]",
)
unknown_docs_option = click.option(
    "--unknown-docs",
    "unknown_documents",
    type=click.Choice(UNKNOWN_DOCUMENTS),
    default="few",
    show_default=True,
    help="How to treat documents that are not in the collection: store their names as stubs, which keeps ranks unchanged "
    "(stub); do so only if they are at most 10 or 10 %, and at most half, and stop otherwise (few); skip their lines; or "
    "stop (error). A collection without documents accepts all.",
)


def _policy(name: str, parameter: str, what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        name,
        parameter,
        type=click.Choice(UNKNOWN),
        default="stub",
        show_default=True,
        help=f"How to treat {what} that are not in the collection: store their names as stubs, which keeps ranks unchanged, "
        "skip their lines, or stop.",
    )


unknown_queries_option = _policy("--unknown-queries", "unknown_queries", "queries")
