"""The commands ``stc fuse`` and ``stc retrieval combine``, which also tune weights."""

from __future__ import annotations

import click

from stcollection.cli.merged import Typed, merged


@merged(
    click.Option(["--tune"], is_flag=True, help="Try the weights of the runs on an edition, and print the best."),
    fuse=("retrieval.fusion:fuse", "fusion with given weights"),
    tune=("retrieval.fusion:tune", "--tune"),
)
def fuse_command(typed: Typed) -> str:
    """Combine runs into one by their ranks or scores.

    \b
      stc fuse bm25 dense --name both                 reciprocal ranks
      stc fuse bm25 dense --tune --train train        find the weights

    'stc fuse --tune --help' and 'stc retrieval combine --help' describe more.
    """
    return "tune" if typed.has("--tune") else "fuse"


@merged(
    click.Option(["--tune"], is_flag=True, help="Try the weights on an edition, and print the gains and losses."),
    combine=("retrieval.combination:combine", "given weights"),
    tune=("retrieval.combination:combine_tune", "--tune"),
)
def combine_command(typed: Typed) -> str:
    """Combine the scores of a RUN with measures of its documents, such as readability, or find the weights with --tune."""
    return "tune" if typed.has("--tune") else "combine"
