"""Options of combining relevance with readability and credibility."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.retrieval.combine import MISSING
from stcollection.retrieval.combine_tune import MEASURES, CombinationTuning

depth_option = click.option(
    "--depth", type=click.IntRange(min=1), default=1000, show_default=True, help="Number of documents per query in the new run."
)
missing_option = click.option(
    "--missing",
    type=click.Choice(MISSING),
    default="mean",
    show_default=True,
    help="Value for documents without the measure: the mean over the query's documents, or zero, the worst value.",
)


def pairs(kind: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], dict[str, Any]]:
    """Return a callback that reads MEASURE=VALUE, each measure once."""

    def read(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for one in given:
            measure, equals, value = (part.strip() for part in one.partition("="))
            if not equals or not measure or measure in found:
                raise click.BadParameter(f"{one!r} is not {option.metavar}, or repeats a measure")
            try:
                found[measure] = kind(value)
            except ValueError:
                raise click.BadParameter(f"{value!r} is not a number") from None
        return found

    return read


transform_option = click.option(
    "-t",
    "--transform",
    "transforms",
    multiple=True,
    metavar="MEASURE=HOW",
    callback=pairs(str),
    help="Transform of a measure to [0, 1]: linear(20,8), log(0,1000), logistic(12,-2), percentile(more), percentile(less); "
    "for relevance: minmax, rank, reciprocal(60). Repeatable.  [default: each measure's own; see docs/howto/readability.md]",
)

tuning_options = together(
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        default=MEASURES,
        show_default=True,
        metavar="MEASURE",
        help="Measure to combine with relevance. Repeatable.",
    ),
    transform_option,
    missing_option,
    click.option(
        "--steps",
        type=click.IntRange(1, 1000),
        default=10,
        show_default=True,
        help="Number of steps of the grid: weights are multiples of 1/N.",
    ),
    click.option(
        "--cutoff",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="Cutoff of nDCG, and number of documents to average over.",
    ),
    click.option(
        "--max-loss",
        "give_up",
        type=click.FloatRange(0, 1),
        default=0.02,
        show_default=True,
        help="Largest acceptable loss of nDCG, as a share of the best nDCG.",
    ),
    packed(CombinationTuning, "tuning"),
)
