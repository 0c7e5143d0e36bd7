"""``stc retrieval``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("retrieval", cls=Folder, shared={"run": "runs"})
def command() -> None:
    """Search documents and make runs."""
