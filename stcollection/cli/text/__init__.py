"""``stc text``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("text", cls=Folder)
def command() -> None:
    """The text index: tsvector with GIN, BM25."""
