"""Options of rank fusion."""

from __future__ import annotations

import click

from stcollection.retrieval.fuse import METHODS, NORMS

depth_option = click.option(
    "--depth", type=click.IntRange(min=1), default=1000, show_default=True, help="Number of documents per query."
)
method_option = click.option(
    "--method",
    type=click.Choice(METHODS),
    default="rrf",
    show_default=True,
    help="Fusion method: reciprocal rank fusion, weighted sum of normalised scores, or that sum times the number of runs with "
    "the document.",
)
norm_option = click.option(
    "--norm", type=click.Choice(NORMS), default="minmax", show_default=True, help="Normalisation of scores, for sum and mnz."
)
replace_option = click.option("--replace", is_flag=True, help="Replace a stored run with this name.")
