"""The command ``stc db nodes``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from stcollection.cli.output import render
from stcollection.db.nodes import Node, add_node, nodes, rebalance
from stcollection.db.settings import Settings


@click.command("nodes")
@click.argument("host", required=False)
@click.argument("port", type=int, default=5432)
@click.option("--rebalance", "balanced", is_flag=True, help="First move shards until all workers have about the same number.")
@click.pass_obj
def command(settings: Settings, host: str | None, port: int, balanced: bool) -> None:
    """List the servers of a distributed collection with their shards, or add HOST to them.

    HOST is the address of a worker for the other servers, PORT is 5432 by default. It needs a database of the same name with CREATE
    EXTENSION citus, and pgvector in the coordinator's version. --rebalance then moves shards to it. Searches continue meanwhile.
    """
    added = add_node(settings, host, port) if host is not None else None
    _print_nodes(rebalance(settings) if balanced else added or nodes(settings))


def _print_nodes(found: Sequence[Node]) -> None:
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
