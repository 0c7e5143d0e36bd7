"""``stc qrels``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("qrels", cls=Folder)
def command() -> None:
    """Manage judgments, grouped in editions. Judgments are added, never changed."""
