"""Options of commands on the measures of documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.analysis.document_measures import MEASURES, READABILITY
from stcollection.analysis.measured import SAMPLE
from stcollection.errors import BadArgument

MEASURE_NAMES = "One of the 20 measures of readability, citations, references, or citation_percentile."


def measures_argument(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> list[str]:
    """Return the measures as typed. None typed means the 20 of readability; ``all`` means every measure."""
    if len(names) == 1 and names[0] != "all":
        raise BadArgument(
            f"{names[0]} alone", hint="Name at least two measures, or none for those of readability, or all.", sqlstate="IR202"
        )
    return list(MEASURES if names == ("all",) else names or READABILITY)


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
