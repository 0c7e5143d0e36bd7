"""``stc db user``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("user", cls=Folder)
def command() -> None:
    """People of the collection: participants of teams, organisers, readers, owners.

    For a server with passwords. The embedded one trusts whoever may enter its folder, by any name.
    """
