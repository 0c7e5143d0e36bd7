"""``stc runs``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_SHARED = {
    **dict.fromkeys(("drop", "families", "list", "metadata"), "stored"),
    **dict.fromkeys(("receipts", "receive"), "receiving"),
}


@click.group("runs", cls=Folder, shared=_SHARED)
def command() -> None:
    """Import, check and export runs."""
