"""``stc bundle``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("bundle", cls=Folder, shared={"check": "archives", "export": "archives"})
def command() -> None:
    """Make, check, open and export bundles: archives of a collection that can be cited."""
