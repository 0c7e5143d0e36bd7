"""``stc qrels``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("qrels", cls=Folder)
def command() -> None:
    """Judgments by edition. They are append-only: added, never changed."""
