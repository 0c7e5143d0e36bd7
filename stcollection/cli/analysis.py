"""``stc analysis``: what scores and judgments tell when they are compared."""

from __future__ import annotations

import click

from stcollection.cli.comparing import compare_
from stcollection.cli.plotting import plot
from stcollection.cli.reusing import reusability, unjudged
from stcollection.cli.tabling import leaderboard


@click.group()
def analysis() -> None:
    """Compare runs, rankings of systems, and judgments."""


analysis.add_command(compare_)
analysis.add_command(reusability)
analysis.add_command(unjudged)
analysis.add_command(leaderboard)
analysis.add_command(plot)
