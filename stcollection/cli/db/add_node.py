"""The command ``stc db add-node``."""

from __future__ import annotations

import click

from stcollection.cli.db.nodes import show
from stcollection.db.nodes import add_node
from stcollection.db.settings import Settings


@click.command("add-node")
@click.argument("host")
@click.argument("port", type=int, default=5432)
@click.pass_obj
def command(settings: Settings, host: str, port: int) -> None:
    """Add a worker to the servers of a distributed collection.

    HOST is its address for the other servers, PORT is 5432 by default. It needs a database of the same name with CREATE EXTENSION
    citus, and pgvector in the coordinator's version. 'stc db nodes --rebalance' then moves shards to it.
    """
    show(add_node(settings, host, port))
