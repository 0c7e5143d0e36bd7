"""``stc complexity``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("complexity", cls=Folder, shared={"correlations": "correlations"})
def command() -> None:
    """Compute readability (20 measures) and credibility (citations), and compare both with human annotations."""
