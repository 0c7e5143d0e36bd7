"""``stc text``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("text", cls=Folder, shared=dict.fromkeys(("configure", "index", "status"), "indexes"))
def command() -> None:
    """Build the text index: tsvector with GIN, and BM25."""
