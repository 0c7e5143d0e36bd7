"""The command ``stc show correlations``."""

from __future__ import annotations

import math

import click
from tabulate import tabulate

from stcollection.analysis.measured import correlations
from stcollection.analysis.records import Correlations
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.counts import counted
from stcollection.plots.documents import two_places

_LAYOUTS = {"table": "simple", "markdown": "github", "latex": "latex_booktabs"}


@command(correlations, figure=lambda _: "correlation")
def correlations_command(call: Call[Correlations], *, style: Style = "table") -> None:
    """Print Spearman's rho between measures. Without MEASURE: the 20 of readability; 'all' adds those of credibility.

    Uses the documents that have all of the measures. The table has the lower triangle with two decimals; its columns are numbered
    like its rows. 'stc plot correlations' draws it.
    """
    correlated = call.once()
    names, values = correlated.measures, correlated.rho.tolist()
    if style in {"json", "csv"}:
        rows = [[name, *(None if math.isnan(rho) else rho for rho in row)] for name, row in zip(names, values, strict=True)]
        click.echo(render(rows, ["measure", *names], style=style))
        return
    numbers = [str(place) for place in range(1, len(names) + 1)]
    lower = [[*map(two_places, row[: place + 1]), *([""] * (len(names) - place - 1))] for place, row in enumerate(values)]
    table = [[number, name, *row] for number, name, row in zip(numbers, names, lower, strict=True)]
    click.echo(
        tabulate(
            table,
            ["", "measure", *numbers],
            tablefmt=_LAYOUTS[style],
            disable_numparse=True,
            colalign=["right", "left", *["right"] * len(names)],
        )
    )
    sample = f"a sample of {correlated.documents:,} of " if correlated.documents < correlated.complete else ""
    documents = f"{sample}{counted(correlated.complete, 'document')}"
    click.echo(f"Spearman's rho over {documents} that have all of them", err=style != "table")
