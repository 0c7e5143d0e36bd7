"""``stc vectors``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_SHARED = {
    **dict.fromkeys(("embed", "passages"), "embedding"),
    **dict.fromkeys(("audit", "index"), "index"),
    "import": "import_",
    "train": "train",
    **dict.fromkeys(("convert", "drop", "export", "models", "status"), "stored"),
}


@click.group("vectors", cls=Folder, shared=_SHARED)
def command() -> None:
    """Compute, import and index embeddings of titles, abstracts and queries."""
