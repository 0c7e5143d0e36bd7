"""Options of tests of significance."""

from __future__ import annotations

import click

from stcollection.analysis.significance import MOST, TESTS

alpha_option = click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of the marks and of the intervals.",
)
permutations_option = click.option(
    "--permutations",
    type=click.IntRange(1, MOST),
    default=100_000,
    show_default=True,
    help="Of randomisation; resamples of bootstrap.",
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of both.")
test_option = click.option(
    "--test", type=click.Choice(TESTS), default="t", show_default=True, help="Two-sided, on the differences by query."
)
