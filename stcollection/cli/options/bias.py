"""Options of bias, for its table and its figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from stcollection.analysis.bias import Resampling
from stcollection.cli.options import packed, together
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.figures import measures_option
from stcollection.cli.options.measures import names_typed
from stcollection.cli.options.queries import queries_option
from stcollection.evaluation.measures import Measure


@dataclass(frozen=True, kw_only=True)
class BiasSubject:
    """What to compute the shifts of."""

    edition: str
    measure: Measure
    reference: str
    runs: tuple[str, ...]
    queries: str


_bias_options = together(
    edition_argument,
    measures_option(1),
    click.option(
        "--reference",
        metavar="ORIGIN",
        default="human",
        show_default=True,
        help="Origin of the queries that the others are compared with.",
    ),
    queries_option,
    click.option(
        "--runs",
        multiple=True,
        callback=lambda _, __, names: tuple(names_typed(names)),
        help="Use only these runs. Repeatable, or comma-separated.  [default: all]",
    ),
    click.option(
        "--resamples", "bootstrap", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="Bootstrap resamples."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap."),
    click.option(
        "--alpha",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help="Intervals have confidence 1 − alpha.",
    ),
)


def bias_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of bias, passed to the command as ``of`` and, for the resamples, ``bootstrap``."""
    return _bias_options(packed(Resampling, "bootstrap", bootstrap="times")(packed(BiasSubject, "of")(command)))
