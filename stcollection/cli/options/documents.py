"""Options of commands on the measures of documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.analysis.document_measures import several_measures
from stcollection.analysis.measured import SAMPLE


def measures_argument(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> list[str]:
    """Return the measures to correlate."""
    return list(several_measures(names))


def sample_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The sample of documents to correlate measures over."""
    seed = click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Seed of the sample.")
    most = click.option(
        "--sample",
        "most",
        type=click.IntRange(min=2),
        default=SAMPLE,
        show_default=True,
        help="Largest number of documents to correlate over; if there are more, a random sample.",
    )
    return most(seed(command))
