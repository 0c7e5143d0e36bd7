"""The command ``stc complexity correlations``."""

from __future__ import annotations

import math

import click
from tabulate import tabulate

from stcollection.analysis import measured
from stcollection.cli.options.documents import measures_argument, sample_options
from stcollection.cli.output import format_option, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.plots.documents import two_places

_LAYOUTS = {"table": "simple", "markdown": "github", "latex": "latex_booktabs"}


@click.command("correlations")
@click.argument("names", nargs=-1, metavar="[MEASURE]...", callback=measures_argument)
@sample_options
@format_option
@click.pass_obj
def command(settings: Settings, /, names: list[str], most: int, seed: int, style: str) -> None:
    """Print Spearman's rho between measures. Without MEASURE: the 20 of readability; 'all' adds those of credibility.

    Uses the documents that have all of the measures. The table has the lower triangle with two decimals; its columns are numbered
    like its rows. 'stc analysis plot correlations' draws it.
    """
    with connect(settings) as conn:
        found = measured.correlations(conn, names, most=most, seed=seed)
    values = found.rho.tolist()
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
    sample = f"a sample of {found.documents:,} of " if found.documents < found.complete else ""
    click.echo(f"Spearman's rho over {sample}{counted(found.complete, 'document')} that have all of them", err=style != "table")
