"""Options of commands on what people say of documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.analysis.annotations import AnnotationBootstrap
from stcollection.cli.options import packed, together
from stcollection.complexity.annotations import ASPECTS

aspect_option = click.option(
    "--aspect", type=click.Choice(ASPECTS), default="complexity", show_default=True, help="What was graded."
)
group_option = click.option("-g", "--group", "groups", multiple=True, help="Of annotators; repeat it for several.  [default: all]")
level_option = click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True, help="Of the intervals."
)
measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="textstat_fkgl, citations, …; repeat it for several.  [default: the 20 of readability; of credibility those of citations]",
)
_bootstrap_options = together(
    click.option(
        "--resamples", type=click.IntRange(min=1), default=1000, show_default=True, help="Draws of documents for the intervals."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the draws."),
    level_option,
)


def bootstrap_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the intervals, which the command gets as ``bootstrap``."""
    return _bootstrap_options(packed(AnnotationBootstrap, "bootstrap")(command))
