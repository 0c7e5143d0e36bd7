"""``stc complexity annotations``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("annotations", cls=Folder)
def command() -> None:
    """What people say of documents: complexity and credibility, 0 to 2, and how the measures go with it."""
