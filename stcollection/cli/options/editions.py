"""Options that say what an edition is, and how its grades are mapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.io.qrels.judgments import read_grades
from stcollection.qrels.editions import EditionFacts

map_option = click.option(
    "--map",
    "grades",
    callback=lambda _, __, text: None if text is None else read_grades(text),
    metavar="GRADES",
    help="The grade to store for each one of the source, as 1=4,2=3,3=2,4=1,-1=0 for Cranfield's degrees; simpletext-2022 is"
    " 0=0,1=0,2=1,3=1,4=2,5=2.  [default: as they are]",
)
_facts_options = together(
    click.option("--description", help="What it is, in words."),
    click.option("--split", type=click.Choice(["train", "test"]), help="Whether it is to train on or to test on."),
    click.option("--year", type=click.IntRange(1900, 2999), help="The year of the track it is of."),
)


def facts_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that say what an edition is, which the command gets as ``facts``."""
    return _facts_options(packed(EditionFacts, "facts")(command))
