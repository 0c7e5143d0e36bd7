"""``stc analysis``: what scores and judgments tell when they are compared."""

from __future__ import annotations

import click

from stcollection.cli.answers import answers
from stcollection.cli.biasing import bias_, plot_bias
from stcollection.cli.charting import correlations, distribution, grades_given, measures, readable
from stcollection.cli.choosing import cut_, match_, match_plot, publish_, select_
from stcollection.cli.comparing import compare_
from stcollection.cli.covering import coverage_, coverages_
from stcollection.cli.expanding import expansion
from stcollection.cli.finding import findings_
from stcollection.cli.labelling import labels_
from stcollection.cli.origins import origins
from stcollection.cli.plotting import plot
from stcollection.cli.relying import plot_growth, plot_reliability, reliability_
from stcollection.cli.reporting import study
from stcollection.cli.reusing import reusability, unjudged
from stcollection.cli.synth import synth
from stcollection.cli.tabling import leaderboard


@click.group()
def analysis() -> None:
    """Compare runs, rankings of systems, and judgments."""


for command in (
    leaderboard, compare_, reusability, unjudged, expansion, origins, reliability_, bias_, labels_, findings_, synth, study,
    answers, coverage_, coverages_, plot,
):  # fmt: skip
    analysis.add_command(command)

for step in (select_, match_, publish_, cut_):
    synth.add_command(step)

for figure in (
    distribution, measures, correlations, readable, grades_given, plot_reliability, plot_growth, plot_bias, match_plot,
):  # fmt: skip
    plot.add_command(figure)
