"""``stc db user``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("user", cls=Folder)
def command() -> None:
    """Manage users of the collection: participants, organisers, readers and owners.

    Users need a server with passwords. The embedded server trusts everyone with access to its folder, under any name.
    """
