"""Options of significance tests between pairs of runs."""

from __future__ import annotations

import click

from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.significance import FAMILIES, MOST, TESTS
from stcollection.cli.options import together

alpha_option = click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level of the marks; intervals have confidence 1 − alpha.",
)
permutations_option = click.option(
    "--permutations",
    type=click.IntRange(1, MOST),
    default=100_000,
    show_default=True,
    help="Number of permutations (randomisation) or resamples (bootstrap).",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the randomisation and the bootstrap."
)
test_option = click.option(
    "--test", type=click.Choice(TESTS), default="t", show_default=True, help="Two-sided test on the differences by query."
)
#: Options of the test of pairs of runs, with the names of PairedTest's fields.
paired_options = together(
    test_option,
    permutations_option,
    seed_option,
    click.option(
        "--correction",
        type=click.Choice([*CORRECTIONS, "hsd"]),
        default="holm",
        show_default=True,
        help="Correction for multiple tests: Holm, Benjamini-Hochberg, none, or randomised Tukey HSD (hsd; needs --test "
        "randomisation and all pairs).",
    ),
    click.option(
        "--family",
        type=click.Choice(FAMILIES),
        default="measure",
        show_default=True,
        help="Tests that the correction covers: those of one measure, or all.",
    ),
    alpha_option,
    click.option(
        "--missing",
        type=click.Choice(["zero", "drop"]),
        default="zero",
        show_default=True,
        help="Value of a query without documents in a run: 0 (trec_eval -c), or drop it from the pairs of the run.",
    ),
)
ranking_option = click.option(
    "--ranking",
    is_flag=True,
    help="Print the runs best first, and which do not differ significantly from the best. Only for all pairs.",
)
