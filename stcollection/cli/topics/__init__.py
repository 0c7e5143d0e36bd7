"""``stc topics``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("topics", cls=Folder)
def command() -> None:
    """Load, show and remove topics, their articles and their queries."""
