"""Options of commands that embed or import vectors."""

from __future__ import annotations

import click

PREFIXES = (
    click.option("--query-prefix", metavar="TEXT", help="Prefix that the model expects before each query, such as 'query: '."),
    click.option(
        "--passage-prefix", metavar="TEXT", help="Prefix that the model expects before each document's text, such as 'passage: '."
    ),
)
