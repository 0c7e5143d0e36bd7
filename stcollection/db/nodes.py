"""The servers of a distributed collection, and moving shards between them."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from stcollection.db.connection import connect
from stcollection.db.distribution import state
from stcollection.db.settings import Settings
from stcollection.errors import StateError, translate


class Node(NamedTuple):
    """A server of the cluster.

    :param answers: whether the coordinator can connect to it.
    :param shards: shards of each distributed table; reference tables are not counted.
    :param bytes: of all shards with their indexes; None if a server does not answer.
    """

    address: str
    role: str
    answers: bool
    shards: int
    bytes: int | None


@translate()
def nodes(settings: Settings) -> list[Node]:
    """Return the servers of the collection's cluster, the coordinator first.

    :raises StateError: the collection is not distributed.
    """
    with connect(settings, autocommit=True) as conn:
        _check(settings, conn)
        return _nodes(conn)


@translate()
def rebalance(settings: Settings) -> list[Node]:
    """Move shards until all workers have about the same number; searches continue, and writes to a shard wait while it moves.

    :returns: the servers afterwards.
    :raises StateError: the collection is not distributed, a server does not answer, or the owner of the tables cannot log in to it.
    """
    with connect(settings, autocommit=True) as conn:
        _check(settings, conn)
        silent = [node.address for node in _nodes(conn) if not node.answers]
        if silent:
            raise StateError(
                f"these servers of the cluster do not answer: {', '.join(silent)}",
                hint="Start them, or check their network, then run the command again. Nothing was moved.",
            )
        try:
            conn.execute("SELECT rebalance_table_shards('public.dblp', shard_transfer_mode => 'block_writes')")
        except psycopg.errors.ConnectionFailure as error:
            raise StateError(
                f"the servers cannot move shards: {error.diag.message_primary}",
                hint="They connect to each other as the owner of the tables, stc_owner. Let it log in to all servers: see"
                " docs/howto/cluster.md, 'Add a worker'. The shards stay where they were.",
            ) from error
        # Citus deletes the old copies later, because searches may still read them.
        return _nodes(conn)


def _check(settings: Settings, conn: psycopg.Connection) -> None:
    if state(conn) is None:
        raise StateError(f"{settings.db!r} is not distributed", hint="'stc db distribute' distributes it.")


def _nodes(conn: psycopg.Connection) -> list[Node]:
    rows = conn.execute(
        "SELECT n.nodename, n.nodeport, CASE WHEN n.groupid = 0 THEN 'coordinator' ELSE 'worker' END,"
        " n.isactive AND citus_check_connection_to_node(n.nodename, n.nodeport),"
        " (SELECT count(*) FROM pg_dist_placement l JOIN pg_dist_shard s USING (shardid)"
        "   WHERE l.groupid = n.groupid AND s.logicalrelid = 'public.dblp'::regclass)"
        " FROM pg_dist_node n WHERE n.noderole = 'primary' ORDER BY n.groupid, n.nodeid"
    ).fetchall()
    sizes: dict[tuple[str, int], int] | None = None
    if all(row[3] for row in rows):
        sizes = {
            (host, port): size
            for host, port, size in conn.execute(
                "SELECT nodename, nodeport, sum(shard_size)::bigint FROM citus_shards"
                " WHERE citus_table_type = 'distributed' GROUP BY nodename, nodeport"
            )
        }
    return [
        Node(f"{host}:{port}", role, answers, shards, None if sizes is None else sizes.get((host, port), 0))
        for host, port, role, answers, shards in rows
    ]
