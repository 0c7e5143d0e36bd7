"""``stc synth``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("synth", cls=Folder)
def command() -> None:
    """Generate synthetic queries: sample documents, score them, generate queries, select some."""
