"""``stc answers``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_SHARED = {
    "files": "sets", "status": "sets", "rejects": "sets", "drop": "sets", "load": "sets", "unload": "sets",
    "baseline": "methods", "cluster": "methods", "extract": "methods", "extracted": "methods",
    "check": "models", "drop-model": "models", "models": "models", "nli": "models", "relate": "models",
    "finetune": "training", "study": "training", "train": "training",
    "drop-run": "runs", "explain": "runs", "export": "runs", "graph": "runs", "import": "runs", "runs": "runs",
    "leaderboard": "scores", "score": "scores",
}  # fmt: skip


@click.group("answers", cls=Folder, shared=_SHARED)
def command() -> None:
    """Verify answers: group the answers in documents by agreement, and return the documents of the most supported group."""
