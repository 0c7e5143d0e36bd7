"""Options of combining relevance with readability and credibility."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.retrieval.combine import MISSING
from stcollection.retrieval.combine_tune import MEASURES, CombinationTuning

depth_option = click.option(
    "--depth", type=click.IntRange(min=1), default=1000, show_default=True, help="Documents a query of the new run at most."
)
missing_option = click.option(
    "--missing",
    type=click.Choice(MISSING),
    default="mean",
    show_default=True,
    help="What stands for a value that a document has not: the mean of the query's documents, or zero, the worst.",
)


def pairs(kind: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], dict[str, Any]]:
    """Reads MEASURE=VALUE, each measure once."""

    def read(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for one in given:
            measure, equals, value = (part.strip() for part in one.partition("="))
            if not equals or not measure or measure in found:
                raise click.BadParameter(f"{one!r} is no {option.metavar}, or names its measure a second time")
            try:
                found[measure] = kind(value)
            except ValueError:
                raise click.BadParameter(f"{value!r} is no number") from None
        return found

    return read


transform_option = click.option(
    "-t",
    "--transform",
    "transforms",
    multiple=True,
    metavar="MEASURE=HOW",
    callback=pairs(str),
    help="How a measure goes into [0, 1]: linear(20,8), log(0,1000), logistic(12,-2), percentile(more), percentile(less); relevance"
    " by minmax, rank, reciprocal(60). Repeatable.  [default: each measure's own; docs/readable.md]",
)

tuning_options = together(
    click.option(
        "--by",
        "measures",
        multiple=True,
        default=MEASURES,
        show_default=True,
        metavar="MEASURE",
        help="What relevance is combined with. Repeatable.",
    ),
    transform_option,
    missing_option,
    click.option("--steps", type=click.IntRange(1, 1000), default=10, show_default=True, help="Weights are multiples of 1/steps."),
    click.option(
        "--cutoff", type=click.IntRange(min=1), default=10, show_default=True, help="Of nDCG, and of the first documents."
    ),
    click.option(
        "--give-up",
        type=click.FloatRange(0, 1),
        default=0.02,
        show_default=True,
        help="How much of the best nDCG may be given up, as a share of it.",
    ),
    packed(CombinationTuning, "tuning"),
)
