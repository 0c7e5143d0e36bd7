"""``stc evaluation``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_SHARED = {
    **dict.fromkeys(("leaderboard", "score"), "scores"),
    **dict.fromkeys(("ask", "measures", "over-time", "zscores"), "summaries"),
    **{name: name for name in ("readability", "worst")},
}


@click.group("evaluation", cls=Folder, shared=_SHARED)
def command() -> None:
    """Score runs and rank systems. Every measure equals trec_eval's."""
