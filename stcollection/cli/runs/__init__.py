"""``stc runs``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("runs", cls=Folder)
def command() -> None:
    """Import, check and export runs."""
