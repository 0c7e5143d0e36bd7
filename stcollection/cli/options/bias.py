"""Options of bias, as a table and as a figure."""

from __future__ import annotations

import click

from stcollection.cli.options import together
from stcollection.cli.options.figures import measures_option
from stcollection.cli.options.measures import names_typed

bias_options = together(
    click.argument("edition"),
    measures_option(1),
    click.option("--reference", default="human", show_default=True, help="The origin whose queries others are held against."),
    click.option(
        "--runs",
        multiple=True,
        callback=lambda _, __, names: tuple(names_typed(names)),
        help="These alone; repeat it, or use commas.  [default: all]",
    ),
    click.option("--bootstrap", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="Resamples."),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the bootstrap."),
    click.option(
        "--alpha",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help="Intervals have confidence 1 − alpha.",
    ),
)
