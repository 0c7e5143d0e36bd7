"""``stc topics``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_MODULES = {
    "listing": ("files", "list", "set", "sets", "show", "unset"),
    "loading": ("articles", "load", "origins", "remove"),
}


@click.group("topics", cls=Folder, shared={name: module for module, names in _MODULES.items() for name in names})
def command() -> None:
    """Load, show and remove topics, their articles and their queries."""
