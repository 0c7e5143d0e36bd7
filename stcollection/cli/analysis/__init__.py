"""``stc analysis``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_SHARED = {
    **dict.fromkeys(("compare", "leaderboard"), "comparisons"),
    **dict.fromkeys(("late", "reusability", "unjudged"), "unjudged"),
    **{name: name for name in ("bias", "findings", "history", "labels", "origins", "reliability")},
    "cluster-hypothesis": "cluster_hypothesis",
}


@click.group("analysis", cls=Folder, shared=_SHARED)
def command() -> None:
    """Compare runs, rankings of systems and judgments, and map the documents."""
