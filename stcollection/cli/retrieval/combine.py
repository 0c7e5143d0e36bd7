"""The command ``stc retrieval combine``."""

from __future__ import annotations

import click

from stcollection.cli.merged import Typed, merged


@merged(
    click.Option(["--tune"], is_flag=True, help="Try the weights on an edition, and print the gains and losses."),
    combine=("retrieval.combination:combine", "given weights"),
    tune=("retrieval.combination:combine_tune", "--tune"),
)
def command(typed: Typed) -> str:
    """Combine the scores of a RUN with measures of its documents, such as readability, or find the weights with --tune."""
    return "tune" if typed.has("--tune") else "combine"
