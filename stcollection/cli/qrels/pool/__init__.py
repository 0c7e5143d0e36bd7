"""``stc qrels pool``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("pool", cls=Folder)
def command() -> None:
    """Choose documents to be judged, hand them to assessors, and make their grades an edition."""
