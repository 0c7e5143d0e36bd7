"""``stc analysis synth``: synthetic queries, from a sample of documents to candidates."""

from __future__ import annotations

import click


@click.group("synth")
def synth() -> None:
    """Make synthetic queries: sample documents, score them, generate, choose."""
