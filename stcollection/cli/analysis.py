"""``stc analysis``: what scores and judgments tell when they are compared."""

from __future__ import annotations

import click

from stcollection.cli.expanding import expansion


@click.group()
def analysis() -> None:
    """Compare runs, rankings of systems, and judgments."""


analysis.add_command(expansion)
