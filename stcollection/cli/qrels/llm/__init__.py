"""``stc qrels llm``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder


@click.group("llm", cls=Folder, shared=dict.fromkeys(("answers", "status"), "reports"))
def command() -> None:
    """Judge with language models. Their judgments have the origin llm; their answers are stored unchanged."""
