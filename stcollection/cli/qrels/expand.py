"""The command ``stc qrels expand``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import needed_edition_option
from stcollection.cli.options.neighbours import neighbours_options
from stcollection.cli.options.published import published_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.published import EXPANSION
from stcollection.qrels.expand import NeighbourRules
from stcollection.qrels.expand import expand as expand_edition


@click.command("expand")
@needed_edition_option("Edition to expand. It does not change.")
@click.option("--into", help="Name of the new edition.  [default: the edition's name with -knn]")
@click.option(
    "--neighbours",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Largest number of neighbours per relevant document.",
)
@click.option("--threshold", type=click.FloatRange(-1, 1), default=0.8, show_default=True, help="Smallest cosine of a neighbour.")
@published_option(EXPANSION)
@neighbours_options
@click.pass_obj
def command(
    settings: Settings, /, edition: str, into: str | None, neighbours: int, threshold: float, rules: NeighbourRules
) -> None:
    """Create an edition from another's judgments and the nearest neighbours of its relevant documents.

    Existing judgments are never overwritten. Each new judgment stores its source document and similarity. 'stc analysis expansion'
    estimates beforehand how reliable the new labels would be.
    """
    with connect(settings) as conn:
        done = expand_edition(conn, edition=edition, into=into, neighbours=neighbours, threshold=threshold, rules=rules)
    told = (
        f"{done.expansion}: {counted(done.copied, 'judgment')} of {edition},"
        f" {done.added:,} from neighbours of {counted(done.sources, 'document')}"
    )
    click.echo(told + (f"; {done.without_vector:,} without a vector" if done.without_vector else ""))
