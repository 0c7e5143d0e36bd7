"""Options of coverage: how topics are found, and what is counted."""

from __future__ import annotations

import click

from stcollection.cli.options import packed, together
from stcollection.studies.coverage.records import WITHIN, CoverageOptions

coverage_options = together(
    click.option("--documents", type=int, default=100, show_default=True, help="How many of the nearest abstracts."),
    click.option("--topics", type=int, default=10, show_default=True, help="Of LDA."),
    click.option("--words", type=int, default=3, show_default=True, help="That stand for a topic; an itemset's at most."),
    click.option("--seed", type=int, default=1, show_default=True, help="Of LDA."),
    click.option(
        "--support",
        type=float,
        metavar="SHARE",
        help="The least share of abstracts with a frequent itemset, a concept."
        "  [default: the greatest that gives tens of itemsets]",
    ),
    click.option(
        "--within",
        type=click.Choice(WITHIN),
        default="text",
        show_default=True,
        help="Count documents with the words in title or abstract (text), or in the abstract.",
    ),
    packed(CoverageOptions, "options"),
)
