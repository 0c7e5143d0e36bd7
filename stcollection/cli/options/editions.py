"""Options that say what an edition is, and how its grades are mapped."""

from __future__ import annotations

import click

from stcollection.cli.options import together

map_option = click.option(
    "--map",
    "mapping",
    metavar="GRADES",
    help="The grade to store for each one of the source, as 1=4,2=3,3=2,4=1,-1=0 for Cranfield's degrees; simpletext-2022 is"
    " 0=0,1=0,2=1,3=1,4=2,5=2.  [default: as they are]",
)
facts = together(
    click.option("--description", help="What it is, in words."),
    click.option("--split", type=click.Choice(["train", "test"]), help="Whether it is to train on or to test on."),
    click.option("--year", type=click.IntRange(1900, 2999), help="The year of the track it is of."),
)
