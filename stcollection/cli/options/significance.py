"""Options of tests of significance: of runs that are compared in pairs, and of marks."""

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
#: How pairs of runs are tested: the fields of PairedTest.
paired_options = together(
    test_option,
    permutations_option,
    seed_option,
    click.option(
        "--correction",
        type=click.Choice([*CORRECTIONS, "hsd"]),
        default="holm",
        show_default=True,
        help="For many tests: Holm, Benjamini-Hochberg, randomised Tukey HSD (--test randomisation, all pairs), or none.",
    ),
    click.option(
        "--family",
        type=click.Choice(FAMILIES),
        default="measure",
        show_default=True,
        help="What counts as many: a measure's tests or all.",
    ),
    alpha_option,
    click.option(
        "--missing",
        type=click.Choice(["zero", "drop"]),
        default="zero",
        show_default=True,
        help="A query a run has nothing for: 0 (trec_eval -c), or not in its pairs.",
    ),
)
ranking_option = click.option(
    "--ranking", is_flag=True, help="The runs, best first, and which are not told apart from the best; all pairs alone."
)
