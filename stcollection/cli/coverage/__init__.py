"""``stc coverage``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("coverage", cls=Folder, shared=dict.fromkeys(("compute", "drop", "list", "show"), "coverages"))
def command() -> None:
    """Find the topics of the abstracts near a text, and count the documents of the corpus on each topic."""
