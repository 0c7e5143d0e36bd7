"""The command ``stc db status``."""

from __future__ import annotations

import click

from stcollection.cli.output import printable, render
from stcollection.counts import counted
from stcollection.db.cluster_costs import HEADINGS, Machine, cluster_cells, estimate_cluster
from stcollection.db.connection import connect
from stcollection.db.costs import DIM, MACHINE, cells, estimate, graph_memory, probe
from stcollection.db.settings import Settings
from stcollection.db.status import status


@click.command("status")
@click.option("--plan", "documents", type=click.IntRange(1), metavar="N", help="Estimate time, memory and disk for N documents.")
@click.option(
    "--workers",
    type=click.IntRange(1, 4096),
    multiple=True,
    metavar="W",
    help="With --plan: estimate the collection on W servers of a cluster; can be repeated.",
)
@click.option(
    "--cores", type=click.IntRange(1, 1024), default=Machine.cores, show_default=True, help="With --workers: cores of each."
)
@click.option(
    "--memory",
    type=click.IntRange(1, 65536),
    default=Machine.memory // 10**9,
    show_default=True,
    metavar="GB",
    help="With --workers: memory of each.",
)
@click.pass_obj
def command(settings: Settings, documents: int | None, workers: tuple[int, ...], cores: int, memory: int) -> None:
    """Report the server and version of the collection, and whether it needs an upgrade."""
    if workers and documents is None:
        raise click.UsageError("--workers needs --plan N, the number of documents.")
    if workers and documents is not None:
        machine = Machine(cores=cores, memory=memory * 10**9)
        click.echo(
            f"{counted(documents, 'document')} on workers with {counted(cores, 'core')} and {memory} GB; disk and memory of each:"
        )
        found = [estimate_cluster(documents, one, machine) for one in workers]
        click.echo(render(list(cluster_cells(found)), HEADINGS, style="table"))
        click.echo("Computed from figures of one machine, not measured: docs/howto/cluster.md states the assumptions.")
        return
    if documents is None:
        for what, told in status(settings):
            click.echo(f"{what:<12}{printable(told)}")
        return
    with connect(settings, check=False) as conn:
        steps = estimate(documents, factor=(factor := probe(conn)), graph=graph_memory(conn))
    click.echo(f"{counted(documents, 'document')}, vectors of {DIM} dimensions; vector indexes of one field:")
    click.echo(render(list(cells(steps)), ["step", "time", "memory", "disk"], style="table"))
    click.echo(f"Measured on {MACHINE}.")
    click.echo(f"The times are multiplied by {factor:.2f}, from a short computation on this server; its disks were not measured.")
