"""``stc synth review``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("review", cls=Folder, shared=dict.fromkeys(("check", "export", "import", "list", "publish"), "sheets"))
def command() -> None:
    """Review queries generated from articles: export and import sheets, publish accepted queries, check them once judged."""
