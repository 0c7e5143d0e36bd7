"""Options of bias, as a table and as a figure."""

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
from stcollection.evaluation.measures import Measure


@dataclass(frozen=True, kw_only=True)
class BiasSubject:
    """Whose shifts are asked for."""

    edition: str
    measure: Measure
    reference: str
    runs: tuple[str, ...]


_bias_options = together(
    edition_argument,
    measures_option(1),
    click.option("--reference", default="human", show_default=True, help="The origin whose queries others are held against."),
    click.option(
        "--runs",
        multiple=True,
        callback=lambda _, __, names: tuple(names_typed(names)),
        help="These alone; repeat it, or use commas.  [default: all]",
    ),
    click.option("--bootstrap", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="Resamples."),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the bootstrap."),
    click.option(
        "--alpha",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help="Intervals have confidence 1 − alpha.",
    ),
)


def bias_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of bias, which the command gets as ``of``, and of its resamples, as ``bootstrap``."""
    return _bias_options(packed(Resampling, "bootstrap", bootstrap="times")(packed(BiasSubject, "of")(command)))
