"""The command ``stc db status``."""

from __future__ import annotations

import click

from stcollection.cli.output import printable, render
from stcollection.db.connection import connect
from stcollection.db.costs import DIM, MACHINE, cells, estimate, graph_memory, probe
from stcollection.db.settings import Settings
from stcollection.db.status import status


@click.command("status")
@click.option("--plan", "documents", type=click.IntRange(1), metavar="N", help="Estimate time, memory and disk for N documents.")
@click.pass_obj
def command(settings: Settings, documents: int | None) -> None:
    """Report the server and version of the collection, and whether it needs an upgrade."""
    if documents is None:
        for what, told in status(settings):
            click.echo(f"{what:<12}{printable(told)}")
        return
    with connect(settings, check=False) as conn:
        found = estimate(documents, factor=(factor := probe(conn)), graph=graph_memory(conn))
    click.echo(f"{documents:,} documents, vectors of {DIM} dimensions; vector indexes of one field:")
    click.echo(render(list(cells(found)), ["step", "time", "memory", "disk"], style="table"))
    click.echo(f"Measured on {MACHINE}.")
    click.echo(f"The times are multiplied by {factor:.2f}, from a short computation on this server; its disks were not measured.")
