"""``stc retrieval``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_SHARED = {
    "run": "runs",
    "search": "search",
    **dict.fromkeys(("fuse", "rerank", "tune"), "fusion"),
    **dict.fromkeys(("combine", "combine-tune", "pareto"), "combination"),
}


@click.group("retrieval", cls=Folder, shared=_SHARED)
def command() -> None:
    """Search documents and make runs."""
