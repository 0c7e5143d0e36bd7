"""``stc analysis plot`` of readability and credibility: distributions, measures against each other, runs, people's grades."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stcollection.analysis import measure_figures, readable_figures
from stcollection.analysis.measured import ASPECTS, GROUPINGS, MEASURES, READABILITY, SAMPLE
from stcollection.cli.measuring import edition_option
from stcollection.cli.plotting import draw, file_options, measures_option, spread_options
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument

_NAMES = "One of the 20 measures of readability, citations, references, citation_percentile."


def sample_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Of how many documents ranks are correlated."""
    seed = click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Of the sample.")
    most = click.option("--sample", "most", type=click.IntRange(min=2), default=SAMPLE, show_default=True,
                        help="Documents that ranks are correlated over at most; of more a random sample is taken.")  # fmt: skip
    return most(seed(command))


def measures_argument(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> list[str]:
    """Measures as typed, the 20 of readability where none is; all of those there are for ``all``."""
    if len(names) == 1 and names[0] != "all":
        raise BadArgument(f"{names[0]} alone", hint="Name two measures or more, none for readability, or all.", sqlstate="IR202")
    return list(MEASURES if names == ("all",) else names or READABILITY)


@click.command("distribution")
@click.argument("measure", default="textstat_fkgl")
@click.option("--by", type=click.Choice(GROUPINGS), default="year", show_default=True, help="How documents are grouped.")
@click.option("--smallest", type=click.IntRange(min=1), default=10, show_default=True, metavar="DOCUMENTS",
              help="Groups of fewer are left out.")  # fmt: skip
@click.option("--most", type=click.IntRange(1, measure_figures.ROWS), default=20, show_default=True,
              help="Groups shown, those of the most documents; years are all shown.")  # fmt: skip
@file_options
@click.pass_obj
def distribution(settings: Settings, /, out: Path, measure: str, **options: Any) -> None:
    """How MEASURE (textstat_fkgl if none is named) is distributed by year, venue, document type or field of study.

    One of the 20 measures of readability, citations, references, citation_percentile.
    """
    draw(settings, out, measure_figures.distribution, measure, **options)


@click.command("measures")
@click.argument("x")
@click.argument("y")
@click.option("--bins", "size", type=click.IntRange(1, 200), help="A side, about.  [default: 2 ∛documents, at most 40]")
@click.option("--beyond", type=click.FloatRange(0, 0.5, max_open=True), default=0.005, show_default=True,
              help="The share of the documents that may lie beyond either end of an axis.")  # fmt: skip
@sample_options
@file_options
@click.pass_obj
def measures(settings: Settings, /, out: Path, x: str, y: str, **options: Any) -> None:
    """The measure Y against the measure X: how many documents have which values, and Spearman's rho."""
    draw(settings, out, measure_figures.measures, x, y, **options)


@click.command("correlations")
@click.argument("names", nargs=-1, metavar="[MEASURES]...", callback=measures_argument)
@sample_options
@file_options
@click.pass_obj
def correlations(settings: Settings, /, out: Path, names: list[str], **options: Any) -> None:
    """Spearman's rho between MEASURES: the 20 of readability if none is named; all adds those of credibility."""
    draw(settings, out, measure_figures.correlation, names, **options)


@click.command("readable")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option(1)
@click.option("--readability", default="textstat_fkgl", show_default=True, metavar="MEASURE", help=_NAMES)
@click.option(
    "--k", type=click.IntRange(1, 2**31 - 1), default=10, show_default=True, help="Documents of each ranking that are read."
)
@click.option("--prefer", type=click.Choice(readable_figures.SIDES),
              help="Which values of --readability are the better ones.  [default: as the measure says]")  # fmt: skip
@spread_options
@file_options
@click.pass_obj
def readable(settings: Settings, /, out: Path, runs: tuple[str, ...], **options: Any) -> None:
    """How relevant and how readable the first documents of RUNS (all if none is named) are; a line joins the best by both."""
    draw(settings, out, readable_figures.readable, runs, **options)


@click.command("annotations")
@click.option("--measure", default="textstat_fkgl", show_default=True, help=_NAMES)
@click.option("--aspect", type=click.Choice(ASPECTS), default="complexity", show_default=True, help="What was graded.")
@click.option("--everyone", is_flag=True, help="All annotators as one group.")
@file_options
@click.pass_obj
def grades_given(settings: Settings, /, out: Path, **options: Any) -> None:
    """The mean of a measure, with its standard error, over the documents that got each grade, by group of annotators."""
    draw(settings, out, measure_figures.grades_given, **options)
