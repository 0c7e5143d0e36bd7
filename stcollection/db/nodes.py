"""The servers of a distributed collection, and moving shards between them."""

from __future__ import annotations

import json
from typing import NamedTuple

import psycopg

from stcollection.db.connection import connect
from stcollection.db.distribution import check_citus, check_processes, compare_text_settings, state
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, translate


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
    :raises StateError: the collection is not distributed, a server does not answer or has no process left for Citus, or the
        owner of the tables cannot log in to it.
    """
    with connect(settings, autocommit=True) as conn:
        _check(settings, conn)
        silent = [node.address for node in _nodes(conn) if not node.answers]
        if silent:
            raise StateError(
                f"these servers of the cluster do not answer: {', '.join(silent)}",
                hint="Start them, or check their network, then run the command again. Nothing was moved.",
            )
        check_processes(conn)
        [(indexed,)] = conn.execute("SELECT coalesce((SELECT sound FROM stc.text_status()), false)").fetchall()
        try:
            conn.execute("SELECT rebalance_table_shards('public.dblp', shard_transfer_mode => 'block_writes')")
        except psycopg.errors.ConnectionFailure as error:
            raise StateError(
                f"the servers cannot move shards: {error.diag.message_primary}",
                hint="They connect to each other as the owner of the tables, stc_owner. Let it log in to all servers: see"
                " docs/howto/cluster.md, 'Add a worker'. The shards stay where they were.",
            ) from error
        if indexed:
            # The indexes of moved shards were built again.
            conn.execute("SELECT stc.seal_text_index(to_regclass('public.dblp_text_bm25'))")
            conn.execute("SELECT stc.verify_text_index()")
        # Citus deletes the old copies later, because searches may still read them.
        return _nodes(conn)


@translate()
def add_node(settings: Settings, host: str, port: int = 5432) -> list[Node]:
    """Add a worker to the cluster of a database, which need not be distributed yet. It has no shards until :func:`rebalance`.

    The worker must have a database of the same name with Citus, and the extensions of the coordinator. One transaction over all
    servers: if it fails, nothing has changed.

    :returns: the servers afterwards.
    :raises BadArgument: the worker is already part of the cluster, or ``port`` is out of range.
    :raises StateError: Citus is missing here or there, the worker cannot be reached, or it has another version of an
        extension, another locale or text search configuration, or a server has no process left for Citus.
    """
    if not 1 <= port <= 65535:
        raise BadArgument(f"the port {port}", hint="Use 1 to 65535.")
    where = f"{host}:{port}"
    with connect(settings, autocommit=True, check=False) as conn:
        check_citus(conn)
        known = conn.execute("SELECT 1 FROM pg_dist_node WHERE nodename = %s AND nodeport = %s", [host, port]).fetchone()
        if known:
            raise BadArgument(f"{where} is already a server of the cluster", hint="'stc db nodes' lists the servers.")
        if conn.execute("SELECT citus_check_connection_to_node(%s, %s)", [host, port]).fetchone() != (True,):
            raise StateError(
                f"the coordinator cannot connect to the database {settings.db!r} of {where}",
                hint=f"Start the server, create a database {settings.db!r} there, and let this server log in to it.",
            )
        try:
            with conn.transaction():
                conn.execute("SELECT citus_add_node(%s, %s)", [host, port])
                _compare_extensions(conn, where)
                check_processes(conn)
                compare_text_settings(conn, where)
        except psycopg.errors.InsufficientPrivilege as error:
            raise StateError(
                f"{conn.info.user} may not add servers: {error.diag.message_primary}",
                hint="Run the command as a superuser of the coordinator.",
                sqlstate="IR410",
            ) from error
        except psycopg.Error as error:
            raise StateError(
                f"{where} cannot be a worker: {error.diag.message_primary or error}",
                hint=f"It needs a database {settings.db!r} with CREATE EXTENSION citus, and the extensions of this server in the"
                " same versions. Nothing was changed.",
                sqlstate="IR404",
            ) from error
        return _nodes(conn)


def _compare_extensions(conn: psycopg.Connection, where: str) -> None:
    """Compare the versions of extensions of a new worker with this server's. :raises StateError: a version differs."""
    here: dict[str, str] = dict(conn.execute("SELECT extname, extversion FROM pg_extension").fetchall())
    statement = "SELECT jsonb_object_agg(extname, extversion)::text FROM pg_extension"
    rows = conn.execute(
        "SELECT result FROM run_command_on_workers(%s) WHERE nodename || ':' || nodeport = %s AND success", [statement, where]
    ).fetchall()
    theirs: dict[str, str] = json.loads(rows[0][0]) if rows else {}
    other = [
        f"{name} {theirs.get(name) or 'is missing'} (here {version})"
        for name, version in sorted(here.items())
        if name in ("citus", "vector") and theirs.get(name) != version
    ]
    if other:
        raise StateError(
            f"the extensions of {where} differ: {', '.join(other)}",
            hint="Install the versions of this server there, then run the command again. Nothing was changed.",
            sqlstate="IR413",
        )


def _check(settings: Settings, conn: psycopg.Connection) -> None:
    if state(conn) is None:
        raise StateError(f"{settings.db!r} is not distributed", hint="'stc db distribute' distributes it.")


def _nodes(conn: psycopg.Connection) -> list[Node]:
    if state(conn) is None:
        return [
            Node(f"{host}:{port}", role, answers, 0, None)
            for host, port, role, answers in conn.execute(
                "SELECT n.nodename, n.nodeport, CASE WHEN n.groupid = 0 THEN 'coordinator' ELSE 'worker' END,"
                " n.isactive AND citus_check_connection_to_node(n.nodename, n.nodeport)"
                " FROM pg_dist_node n WHERE n.noderole = 'primary' ORDER BY n.groupid, n.nodeid"
            )
        ]
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
