"""``stc corpus``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_MODULES = {
    "documents": ("export", "remove"),
    "tables": ("changes", "files", "licences", "rejects", "snapshots", "status"),
}


@click.group("corpus", cls=Folder, shared={name: module for module, names in _MODULES.items() for name in names})
def command() -> None:
    """Load, count and remove documents."""
