"""``stc analysis``: what scores and judgments tell when they are compared."""

from __future__ import annotations

import click

from stcollection.cli.charting import correlations, distribution, grades_given, measures, readable
from stcollection.cli.choosing import cut_, match_, match_plot, publish_, select_
from stcollection.cli.comparing import compare_
from stcollection.cli.expanding import expansion
from stcollection.cli.plotting import plot
from stcollection.cli.reusing import reusability, unjudged
from stcollection.cli.synth import synth
from stcollection.cli.tabling import leaderboard


@click.group()
def analysis() -> None:
    """Compare runs, rankings of systems, and judgments."""


for command in (leaderboard, compare_, reusability, unjudged, expansion, plot, synth):
    analysis.add_command(command)

for figure in (distribution, measures, correlations, readable, grades_given, match_plot):
    plot.add_command(figure)

for step in (select_, match_, publish_, cut_):
    synth.add_command(step)
