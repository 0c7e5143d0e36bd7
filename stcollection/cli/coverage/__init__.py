"""``stc coverage``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("coverage", cls=Folder)
def command() -> None:
    """What the abstracts near a text are about, and how much of the corpus is."""
