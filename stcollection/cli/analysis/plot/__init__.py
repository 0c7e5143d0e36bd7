"""``stc analysis plot``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("plot", cls=Folder)
def command() -> None:
    """Draw figures as SVG, PNG or PDF; the suffix of --out selects the format. Equal data give equal files."""
