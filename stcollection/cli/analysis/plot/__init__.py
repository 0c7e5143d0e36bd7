"""``stc analysis plot``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("plot", cls=Folder)
def command() -> None:
    """Draw figures: SVG, PNG or PDF, as the ending of --out tells. The same data make the same file."""
