"""``stc vectors``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("vectors", cls=Folder)
def command() -> None:
    """Compute, import and index embeddings of titles, abstracts and queries."""
