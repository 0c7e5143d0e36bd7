"""Options of agreement between judgments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import format_option
from stcollection.qrels.agreement import MEASURES, RESAMPLED, Bootstrap
from stcollection.qrels.load import ORIGINS

SHOWN = ("tau", "accuracy", "binary_accuracy", "kappa", "kappa_quadratic", "alpha_ordinal")


@dataclass(frozen=True, kw_only=True)
class AgreementSides:
    """The judgments to compare.

    :param origin, annotator: those of the reference.
    :param every: compare all pairs, not only with the reference. :param queries: the set of queries.
    """

    reference: str
    others: tuple[str, ...]
    origin: str | None
    annotator: str | None
    every: bool
    queries: str


@dataclass(frozen=True, kw_only=True)
class AgreementTable:
    """The table to print, and its format."""

    measures: tuple[str, ...]
    by: str | None
    shows: tuple[str, ...]
    style: str


@dataclass(frozen=True, kw_only=True)
class AgreementIntervals:
    """The confidence intervals to compute.

    :param resamples: None for no intervals.
    """

    resamples: int | None
    seed: int
    resample: str
    level: float

    @property
    def bootstrap(self) -> Bootstrap | None:
        """Return the settings as the library takes them."""
        if self.resamples is None:
            return None
        return Bootstrap(resamples=self.resamples, seed=self.seed, of=self.resample, level=self.level)


_side_options = together(
    click.argument("reference"),
    click.argument("others", nargs=-1),
    click.option("--origin", type=click.Choice(ORIGINS), help="Origin of the reference's judgments, instead of EDITION:ORIGIN."),
    click.option("--annotator", help="Annotator of the reference's judgments, instead of EDITION:/ANNOTATOR."),
    click.option("--all-pairs", "every", is_flag=True, help="Compare all pairs, not only each with the reference."),
    queries_option,
)
_table_options = together(
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        type=click.Choice([*MEASURES, "all"]),
        metavar="MEASURE",
        help=f"Measure: {', '.join(MEASURES)}, or all. The first ranks the rows. Repeatable.  [default: {', '.join(SHOWN)}]",
    ),
    click.option(
        "--per-topic", "by", flag_value="topic", help="Print one row per topic. A query without a topic counts as its own topic."
    ),
    click.option("--per-query", "by", flag_value="query", help="Print one row per query."),
    click.option(
        "--confusion",
        "shows",
        flag_value="confusion",
        multiple=True,
        help="Print confusion matrices of grades instead of measures.",
    ),
    click.option(
        "--grades",
        "shows",
        flag_value="grades",
        multiple=True,
        help="Print precision and recall of each grade instead of measures.",
    ),
    click.option(
        "--alpha",
        "shows",
        flag_value="alpha",
        multiple=True,
        help="Print Krippendorff's alpha of all sides together instead of measures.",
    ),
    click.option(
        "--resamples", type=click.IntRange(min=1), metavar="N", help="Compute percentile intervals from N bootstrap resamples."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the bootstrap."),
    click.option(
        "--resample",
        type=click.Choice(RESAMPLED),
        default="query",
        show_default=True,
        help="Unit to resample: queries with all their judgments, topics, or single pairs (which makes intervals too narrow).",
    ),
    click.option(
        "--confidence",
        "level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Confidence level of the intervals.",
    ),
    format_option,
)


def side_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for the judgments to compare, passed to the command as ``sides``."""
    return _side_options(packed(AgreementSides, "sides")(command))


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for the output, passed to the command as ``table`` and ``intervals``."""
    return _table_options(packed(AgreementTable, "table")(packed(AgreementIntervals, "intervals")(command)))
