"""``stc qrels pool``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("pool", cls=Folder)
def command() -> None:
    """Choose documents for judging, distribute them to assessors, and turn their grades into an edition."""
