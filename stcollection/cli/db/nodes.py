"""The command ``stc db nodes``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from stcollection.cli.output import render
from stcollection.db.nodes import Node, nodes, rebalance
from stcollection.db.settings import Settings


@click.command("nodes")
@click.option("--rebalance", "balanced", is_flag=True, help="First move shards until all workers have about the same number.")
@click.pass_obj
def command(settings: Settings, balanced: bool) -> None:
    """List the servers of a distributed collection with their shards.

    To grow, add a worker with 'stc db add-node', then move shards to it with --rebalance. Searches continue meanwhile.
    """
    show(rebalance(settings) if balanced else nodes(settings))


def show(found: Sequence[Node]) -> None:
    """Print servers."""
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
