"""``stc answers``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("answers", cls=Folder)
def command() -> None:
    """Verify answers: group the answers in documents by agreement, and return the documents of the most supported group."""
