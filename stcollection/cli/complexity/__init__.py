"""``stc complexity``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_SHARED = {
    "compute": "compute",
    "correlations": "correlations",
    **dict.fromkeys(("citations", "credibility", "status"), "credibility"),
}


@click.group("complexity", cls=Folder, shared=_SHARED)
def command() -> None:
    """Compute readability (20 measures) and credibility (citations), and compare both with human annotations."""
