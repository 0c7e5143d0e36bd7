"""Options of significance tests between pairs of runs."""

from __future__ import annotations

import click

alpha_option = click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level of the marks; intervals have confidence 1 − alpha.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the randomisation and the bootstrap."
)
