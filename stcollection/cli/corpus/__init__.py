"""``stc corpus``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("corpus", cls=Folder)
def command() -> None:
    """Load, count and remove documents."""
