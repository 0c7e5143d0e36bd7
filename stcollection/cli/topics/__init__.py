"""``stc topics``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("topics", cls=Folder)
def command() -> None:
    """Load and remove topics and their queries."""
