"""``stc answers``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("answers", cls=Folder)
def command() -> None:
    """Verify answers: group what documents say by agreement, return those behind the most endorsed."""
