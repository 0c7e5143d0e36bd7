"""``stc db``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("db", cls=Folder)
def command() -> None:
    """Manage the server and its collections. A collection is one database."""
