"""``stc complexity annotations``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("annotations", cls=Folder, shared=dict.fromkeys(("agreement", "correlate", "means", "predict"), "grades"))
def command() -> None:
    """Load human grades of complexity and credibility (0 to 2), and relate them to the measures."""
