"""Options of rank fusion."""

from __future__ import annotations

import click

from stcollection.retrieval.fuse import METHODS, NORMS

depth_option = click.option(
    "--depth", type=click.IntRange(min=1), default=1000, show_default=True, help="Documents a query at most."
)
method_option = click.option(
    "--method",
    type=click.Choice(METHODS),
    default="rrf",
    show_default=True,
    help="Reciprocal ranks, weighted sum of normed scores, or that times the number of runs that hold the document.",
)
norm_option = click.option(
    "--norm", type=click.Choice(NORMS), default="minmax", show_default=True, help="Of the scores, for sum and mnz."
)
replace_option = click.option("--replace", is_flag=True, help="Put it in the place of a stored run of that name.")
