"""``stc db``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("db", cls=Folder)
def command() -> None:
    """The server and its collections. One database is one collection."""
