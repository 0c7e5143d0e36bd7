"""``stc complexity``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("complexity", cls=Folder)
def command() -> None:
    """Readability by 20 measures, credibility by citations, and what people say of both."""
