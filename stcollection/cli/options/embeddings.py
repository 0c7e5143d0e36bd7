"""Options of commands that embed or import vectors."""

from __future__ import annotations

import click

PREFIXES = (
    click.option("--query-prefix", metavar="TEXT", help="What the model wants before each query, as 'query: '."),
    click.option("--passage-prefix", metavar="TEXT", help="What it wants before each document's text, as 'passage: '."),
)
