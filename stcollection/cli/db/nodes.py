"""The command ``stc db nodes``."""

from __future__ import annotations

import click

from stcollection.cli.output import render
from stcollection.db.nodes import nodes, rebalance
from stcollection.db.settings import Settings


@click.command("nodes")
@click.option("--rebalance", "balanced", is_flag=True, help="First move shards until all workers have about the same number.")
@click.pass_obj
def command(settings: Settings, balanced: bool) -> None:
    """List the servers of a distributed collection with their shards.

    To grow, add a worker to Citus (SELECT citus_add_node('HOST', PORT) in the collection's database on the coordinator), then move
    shards to it with --rebalance. Searches continue meanwhile.
    """
    found = rebalance(settings) if balanced else nodes(settings)
    rows = [
        (
            node.address,
            node.role,
            "yes" if node.answers else "no",
            node.shards,
            None if node.bytes is None else f"{node.bytes / 1e6:,.1f} MB",
        )
        for node in found
    ]
    click.echo(render(rows, ["server", "role", "answers", "shards", "size"], style="table"))
