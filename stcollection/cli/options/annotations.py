"""Options of commands on human annotations of documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.analysis.annotations import AnnotationBootstrap
from stcollection.cli.options import packed, together
from stcollection.complexity.annotations import ASPECTS

aspect_option = click.option(
    "--aspect", type=click.Choice(ASPECTS), default="complexity", show_default=True, help="Aspect that was graded."
)
group_option = click.option("-g", "--group", "groups", multiple=True, help="Group of annotators. Repeatable.  [default: all]")
level_option = click.option(
    "--confidence",
    "level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals.",
)
measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="Measure: textstat_fkgl, citations, … Repeatable.  [default: the 20 of readability; for credibility those of citations]",
)
_bootstrap_options = together(
    click.option(
        "--resamples", type=click.IntRange(min=1), default=1000, show_default=True, help="Bootstrap resamples of the documents."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the bootstrap."),
    level_option,
)


def bootstrap_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the intervals, passed to the command as ``bootstrap``."""
    return _bootstrap_options(packed(AnnotationBootstrap, "bootstrap")(command))
