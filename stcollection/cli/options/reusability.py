"""Options of commands on the reusability of judgments."""

from __future__ import annotations

import click

from stcollection.cli.options.completion import complete_measures
from stcollection.cli.options.measures import measures_or
from stcollection.evaluation.measures import nDCG

measures_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    callback=measures_or(nDCG @ 10),
    shell_complete=complete_measures,
    help="Measure: nDCG@k, P@k, R@k, RR, AP or Bpref. Repeatable, or comma-separated.  [default: nDCG@10]",
)
