"""``stc evaluation``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("evaluation", cls=Folder, shared={"leaderboard": "scores", "score": "scores", "worst": "worst"})
def command() -> None:
    """Score runs and rank systems. Every measure equals trec_eval's."""
