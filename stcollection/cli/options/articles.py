"""Options for searching with the article of a topic."""

from __future__ import annotations

import click

from stcollection.retrieval.batches import CHUNK

chunk_option = click.option(
    "--chunk",
    type=click.IntRange(0, 1000),
    metavar="WORDS",
    default=CHUNK,
    show_default=True,
    help="With an article: maximum number of words per chunk; 0 searches sentences.",
)
