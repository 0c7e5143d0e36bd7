"""``stc analysis``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("analysis", cls=Folder, shared={"compare": "comparisons", "leaderboard": "comparisons"})
def command() -> None:
    """Compare runs, rankings of systems and judgments, and map the documents."""
