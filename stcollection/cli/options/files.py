"""Options of commands that read files of runs, judgments or scores."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.runs.load import UNKNOWN_OR_FEW

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
    type=click.Choice(UNKNOWN_OR_FEW),
    default="few",
    show_default=True,
    help="How to treat documents that are not in the collection: store their names as stubs, which keeps ranks unchanged "
    "(stub); do so only if they are at most 10 or 10 %, and at most half, and stop otherwise (few); skip their lines; or "
    "stop (error). A collection without documents accepts all.",
)
unknown_queries_option = click.option(
    "--unknown-queries",
    "unknown_queries",
    type=click.Choice(UNKNOWN_OR_FEW),
    default="few",
    show_default=True,
    help="How to treat queries that are not in the collection: store their names as stubs, which keeps ranks unchanged (stub); do "
    "so unless the topics of the collection are others or spell ids in another way, such as 051 for 51 (few); skip their lines; "
    "or stop (error). A collection without topics accepts all.",
)
