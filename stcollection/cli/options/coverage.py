"""Options of coverage: how to find topics, and what to count."""

from __future__ import annotations

import click

from stcollection.cli.options import packed, together
from stcollection.studies.coverage.records import WITHIN, CoverageOptions

coverage_options = together(
    click.option("--documents", type=int, default=100, show_default=True, help="Number of nearest abstracts to use."),
    click.option("--topics", type=int, default=10, show_default=True, help="Number of topics of LDA."),
    click.option(
        "--words", type=int, default=3, show_default=True, help="Number of words per topic; the largest size of an itemset."
    ),
    click.option("--seed", type=int, default=1, show_default=True, help="Seed of LDA."),
    click.option(
        "--support",
        type=float,
        metavar="SHARE",
        help="Smallest share of abstracts that contain an itemset or concept.  [default: the greatest that gives tens of itemsets]",
    ),
    click.option(
        "--within",
        type=click.Choice(WITHIN),
        default="text",
        show_default=True,
        help="Count documents that contain the words in title or abstract (text), or in the abstract.",
    ),
    click.option(
        "--stop-words/--no-stop-words",
        default=True,
        show_default=True,
        help="Leave out function words and words of most abstracts, such as paper and results.",
    ),
    click.option(
        "--max-df",
        type=float,
        default=0.25,
        show_default=True,
        metavar="SHARE",
        help="Leave out words of more than this share of the corpus's documents; 1 leaves out none.",
    ),
    packed(CoverageOptions, "options"),
)
