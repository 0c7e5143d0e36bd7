"""``stc synth``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_SHARED = {
    "candidates": "studies", "drop": "studies", "sample": "studies", "scores": "studies", "status": "studies",
    "cut": "selection", "match": "selection", "publish": "selection", "select": "selection",
    "report": "report",
}  # fmt: skip


@click.group("synth", cls=Folder, shared=_SHARED)
def command() -> None:
    """Generate synthetic queries: sample documents, score them, generate queries, select some."""
