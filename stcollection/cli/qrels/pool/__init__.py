"""``stc qrels pool``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_MODULES = {
    "pools": ("drop", "guide", "labels", "list", "make", "show"),
    "sheets": ("export", "import", "invite", "pairs", "submit"),
}


@click.group("pool", cls=Folder, shared={name: module for module, names in _MODULES.items() for name in names})
def command() -> None:
    """Choose documents for judging, distribute them to assessors, and turn their grades into an edition."""
