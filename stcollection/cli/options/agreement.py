"""Options of agreement between judgments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.cli.output import format_option
from stcollection.qrels.agreement import MEASURES, RESAMPLED, Bootstrap
from stcollection.qrels.load import ORIGINS

SHOWN = ("tau", "accuracy", "binary_accuracy", "kappa", "kappa_quadratic", "alpha_ordinal")


@dataclass(frozen=True, kw_only=True)
class AgreementSides:
    """Whose judgments are compared. :param origin, annotator: of the reference. :param every: each against each."""

    reference: str
    others: tuple[str, ...]
    origin: str | None
    annotator: str | None
    every: bool


@dataclass(frozen=True, kw_only=True)
class AgreementTable:
    """Which table is printed, and how."""

    measures: tuple[str, ...]
    by: str | None
    shows: tuple[str, ...]
    style: str


@dataclass(frozen=True, kw_only=True)
class AgreementIntervals:
    """Of what intervals are wanted. :param resamples: None: none are."""

    resamples: int | None
    seed: int
    resample: str
    level: float

    @property
    def bootstrap(self) -> Bootstrap | None:
        """As the library takes it."""
        if self.resamples is None:
            return None
        return Bootstrap(resamples=self.resamples, seed=self.seed, of=self.resample, level=self.level)


_side_options = together(
    click.argument("reference"),
    click.argument("others", nargs=-1),
    click.option("--origin", type=click.Choice(ORIGINS), help="Of the reference, in place of EDITION:ORIGIN."),
    click.option("--annotator", help="Of the reference, in place of EDITION:/ANNOTATOR."),
    click.option("--every", is_flag=True, help="All of them each against each, not only against the reference."),
)
_table_options = together(
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        type=click.Choice([*MEASURES, "all"]),
        metavar="NAME",
        help=f"{', '.join(MEASURES)}, or all; the first one ranks. Repeat it for several.  [default: {', '.join(SHOWN)}]",
    ),
    click.option("--per-topic", "by", flag_value="topic", help="Topic by topic; a query without topic is its own."),
    click.option("--per-query", "by", flag_value="query", help="Query by query."),
    click.option(
        "--confusion", "shows", flag_value="confusion", multiple=True, help="Who gives which grades, instead of measures."
    ),
    click.option(
        "--grades", "shows", flag_value="grades", multiple=True, help="Precision and recall of each grade, instead of measures."
    ),
    click.option(
        "--alpha", "shows", flag_value="alpha", multiple=True, help="Krippendorff's alpha of all sides together, instead."
    ),
    click.option(
        "--bootstrap", "resamples", type=click.IntRange(min=1), metavar="N", help="Percentile intervals from N resamples."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the resamples."),
    click.option(
        "--resample",
        type=click.Choice(RESAMPLED),
        default="query",
        show_default=True,
        help="What is drawn: queries with all their judgments, topics, or single pairs, which makes intervals too narrow.",
    ),
    click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Of the intervals.",
    ),
    format_option,
)


def side_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the sides, which the command gets as ``sides``."""
    return _side_options(packed(AgreementSides, "sides")(command))


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of what is printed, which the command gets as ``table`` and ``intervals``."""
    return _table_options(packed(AgreementTable, "table")(packed(AgreementIntervals, "intervals")(command)))
