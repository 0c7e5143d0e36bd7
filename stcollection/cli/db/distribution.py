"""Commands on several servers: ``stc db distribute`` and ``nodes``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from stcollection.cli.output import render
from stcollection.counts import counted
from stcollection.db.distribution import DistributionPlan, distribute, plan, undistribute
from stcollection.db.nodes import Node, add_node, nodes, rebalance
from stcollection.db.settings import Settings

_PLACES = {
    "document": "by document",
    "passage": "by passage",
    "reference": "copied to every server",
    "local": "on the coordinator",
}


@click.command("distribute")
@click.option("--shards", metavar="N", type=int, help="Number of shards of each table.  [default: 4 per worker]")
@click.option("--dry-run", is_flag=True, help="Print what would be moved and dropped, and change nothing.")
@click.option("--undo", is_flag=True, help="Move the collection back to one server, with the keys and triggers it had.")
@click.pass_obj
def distribute_command(settings: Settings, shards: int | None, dry_run: bool, undo: bool) -> None:
    """Distribute the documents over several PostgreSQL servers with Citus.

    Text, vectors, readability and facts of a document are stored on the same server. Keys and triggers that Citus does not support
    are dropped, and so are the BM25 and vector indexes: searches are exact until 'stc vectors index' builds vector indexes on the
    workers. Documents can still be loaded and removed, but not changed with SQL. After --undo, these indexes must be built again.
    """
    if undo:
        if dry_run or shards is not None:
            raise click.UsageError("--undo goes with no other option.")
        _undo(settings)
        return
    if not dry_run:
        done = distribute(settings, shards=shards)
        click.echo(
            f"distributed {settings.db!r}: {counted(done.shards or 0, 'shard')} on {counted(len(done.workers), 'worker')};"
            f" {_counts(done)}"
        )
        return
    found = plan(settings, shards=shards)
    for placement, title in _PLACES.items():
        tables = [one for one in found.placements if one.placement == placement]
        names = ", ".join(one.relation for one in tables) if placement != "local" else f"the other {counted(len(tables), 'table')}"
        click.echo(f"{title}: {names} ({sum(one.bytes for one in tables) / 1e6:,.1f} MB)")
    click.echo("dropped:")
    click.echo(render([loss[:4] for loss in found.losses], ["kind", "table", "name", "definition"], style="table"))
    replaced = [loss.replacement for loss in found.losses if loss.replacement]
    click.echo(f"created instead: {'; '.join(replaced)}")
    click.echo(f"shards: {found.shards or '4 per worker'}; workers: {', '.join(found.workers) or 'none'}")
    if found.obstacle is not None:
        click.echo(f"not possible yet: {found.obstacle}\n{found.obstacle.hint}")


def _undo(settings: Settings) -> None:
    before = undistribute(settings)
    click.echo(
        f"moved {counted(before.shards, 'shard')} of {settings.db!r} from {counted(before.workers, 'server')} back to this one"
    )
    click.echo("build indexes: 'stc index' and 'stc vectors index'; 'stc show vectors' shows which existed")


def _counts(done: DistributionPlan) -> str:
    spread = sum(one.placement in ("document", "passage") for one in done.placements)
    return f"{counted(spread, 'table')} distributed, {counted(len(done.losses), 'key')}, triggers and indexes dropped"


@click.command("nodes")
@click.argument("host", required=False)
@click.argument("port", type=int, default=5432)
@click.option("--rebalance", "balanced", is_flag=True, help="First move shards until all workers have about the same number.")
@click.pass_obj
def nodes_command(settings: Settings, host: str | None, port: int, balanced: bool) -> None:
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
