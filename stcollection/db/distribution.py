"""Distribute the documents of a collection over several servers with Citus, and move them back to one.

``sql/db/distribution_plan.sql`` decides which table goes where, ``sql/db/distribution_losses.sql`` lists the keys, triggers and
indexes that Citus does not support. Each direction is one transaction over all servers: if it is interrupted, nothing has changed.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import psycopg
from psycopg import sql
from psycopg.rows import class_row

from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.current import in_step
from stcollection.db.objects import read, sync
from stcollection.db.settings import Settings
from stcollection.db.versions import parts
from stcollection.errors import BadArgument, StateError, translate

OLDEST_CITUS = (14,)  # the first version for PostgreSQL 18
SHARDS_PER_WORKER = 4  # so that the shards can later move to four times as many workers
PREPARE = (
    "Ask the servers' administrator to create a database of this name on every server, to run CREATE EXTENSION citus in each,"
    " and then on this server, for each worker: SELECT citus_add_node('HOST', PORT);"
)
_KEPT_CONNECTIONS = 4  # of a session to each worker
MOST_SHARDS = 64000  # the limit of citus.shard_count
# Kinds of drift that a distributed collection always has: what distribution_losses lists, and its replacements.
EXPECTED_DRIFT = frozenset({"constraint", "trigger", "index", "column"})

# What decides how a server splits, stems and sorts text. The sample has words that stemming, stop words and diacritics change.
_TEXT_SETTINGS = """
SELECT pg_catalog.jsonb_build_object(
    'encoding', pg_catalog.pg_encoding_to_char(d.encoding), 'locale provider', d.datlocprovider::text,
    'LC_COLLATE', d.datcollate, 'LC_CTYPE', d.datctype, 'locale', d.datlocale,
    'collation version', pg_catalog.pg_database_collation_actual_version(d.oid),
    'words of ' || {name},
    pg_catalog.to_tsvector({name}::pg_catalog.regconfig,
        'The running studies of naïve Zürich résumés, ŁÓDŹ, Straße and state-of-the-art e-mail a.b@example.org')::text)::text
FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
"""


# Citus runs a process in each database of each server. It may need some moments to start, and 5 seconds to start again.
_PROCESS_SECONDS = 10.0
# The last column counts only what this role sees: others' processes need pg_read_all_stats.
_PROCESSES = """
SELECT pg_catalog.jsonb_build_object(
    'runs', coalesce(pg_catalog.bool_or(a.datname = pg_catalog.current_database()) FILTER (WHERE a.citus), false),
    'databases', pg_catalog.count(DISTINCT a.datname) FILTER (WHERE a.citus),
    'most', pg_catalog.current_setting('max_worker_processes')::integer,
    'used', pg_catalog.count(*) FILTER (WHERE a.backend_type NOT IN (
        'archiver', 'autovacuum launcher', 'autovacuum worker', 'background writer', 'checkpointer', 'client backend', 'io worker',
        'logger', 'slotsync worker', 'startup', 'walreceiver', 'walsender', 'walsummarizer', 'walwriter')))::text
FROM (SELECT s.datname, s.backend_type, s.application_name = 'Citus Maintenance Daemon'
             AND s.backend_type IS DISTINCT FROM 'client backend' AS citus FROM pg_catalog.pg_stat_activity s) a
"""


class Placement(NamedTuple):
    """Where a table is stored. :param placement: document, passage, reference or local. :param attribute: distribution column."""

    relation: str
    placement: str
    attribute: str | None
    bytes: int


class Loss(NamedTuple):
    """A key, trigger or index that is dropped. :param replacement: what is created instead."""

    kind: str
    relation: str
    name: str
    definition: str
    replacement: str | None


@dataclass(frozen=True)
class DistributionPlan:
    """What a distribution does.

    :param shards: number of shards of each distributed table; None if it follows from workers that the cluster does not have yet.
    :param workers: address of each worker. :param obstacle: why the collection cannot be distributed; None if it can.
    """

    shards: int | None
    workers: tuple[str, ...]
    placements: tuple[Placement, ...]
    losses: tuple[Loss, ...]
    obstacle: StateError | None


class Shards(NamedTuple):
    """The state of a distributed collection. :param tables: number of distributed tables."""

    tables: int
    shards: int
    workers: int


@translate()
def plan(settings: Settings, *, shards: int | None = None) -> DistributionPlan:
    """Return what :func:`distribute` would do, from the catalogue; Citus need not be installed.

    :param shards: number of shards of each table; by default four per worker.
    :raises BadArgument: ``shards`` is out of range.
    :raises StateError: the collection is already distributed.
    """
    with connect(settings) as conn:
        if (existing := state(conn)) is not None:
            raise _already(settings, existing)
        return _plan(conn, shards)


@translate()
def distribute(settings: Settings, *, shards: int | None = None) -> DistributionPlan:
    """Distribute the collection over the workers of its database.

    :param shards: number of shards of each table; by default four per worker.
    :raises BadArgument: ``shards`` is out of range.
    :raises StateError: the collection is already distributed, Citus is missing or too old, or a worker is missing or cannot be
        reached. Nothing was changed.
    """
    with connect(settings, autocommit=True) as conn:
        if (existing := state(conn)) is not None:
            raise _already(settings, existing)
        planned = _plan(conn, shards)
        if planned.obstacle is not None:
            raise planned.obstacle
        if any(loss.name == "dblp_text_bm25" for loss in planned.losses):
            # In its own transaction: rolling back the DROP of a BM25 index crashes other sessions.
            with conn.transaction():
                conn.execute("UPDATE stc.text_index SET engine = 'portable'")
                conn.execute("DROP INDEX public.dblp_text_bm25")
        with conn.transaction():
            conn.execute("SELECT stc.distribute_documents(%s)", [planned.shards])
            sync(conn, read(distributed=True))
        _keep_connections(conn, _kept_connections(planned.shards, len(planned.workers)))
        return planned


@translate()
def undistribute(settings: Settings) -> Shards:
    """Move the collection back to one server, with the keys and triggers it had.

    :returns: the previous state.
    :raises StateError: the collection is not distributed.
    """
    # Of any version: an upgrade must be preceded by this.
    with connect(settings, autocommit=True, check=False) as conn:
        shards = state(conn)
        if shards is None:
            raise StateError(f"{settings.db!r} is not distributed", hint="'stc db distribute' distributes it.")
        if conn.execute("SELECT to_regclass('public.dblp_text_bm25') IS NOT NULL").fetchone() == (True,):
            # In its own transaction, as in distribute().
            with conn.transaction():
                conn.execute("UPDATE stc.text_index SET engine = 'portable'")
                conn.execute("DROP INDEX public.dblp_text_bm25")
        with conn.transaction():
            current = in_step(conn)
            conn.execute("SELECT stc.undistribute_documents()")
            if current:  # else the upgrade replaces the functions
                sync(conn, read())
        _forget_connections(conn, _kept_connections(shards.shards, shards.workers))
        return shards


def _kept_connections(shards: int | None, workers: int) -> int:
    """Return how many connections a session keeps to each worker: one for each of its shards, up to four."""
    return min(_KEPT_CONNECTIONS, -(-(shards or 1) // max(1, workers)))


def _keep_connections(conn: psycopg.Connection, kept: int) -> None:
    """Let sessions keep connections that Citus would open again for each search, unless the database has its own setting."""
    if _stored_connections(conn) is None:
        setting = sql.SQL("ALTER DATABASE {} SET citus.max_cached_conns_per_worker = {}")
        # Without the right, searches are slower, with equal results.
        with suppress(psycopg.errors.InsufficientPrivilege):
            conn.execute(setting.format(sql.Identifier(conn.info.dbname), sql.Literal(kept)))


def _forget_connections(conn: psycopg.Connection, kept: int) -> None:
    """Undo :func:`_keep_connections`, unless the setting was changed since."""
    if _stored_connections(conn) == str(kept):
        setting = sql.SQL("ALTER DATABASE {} RESET citus.max_cached_conns_per_worker")
        with suppress(psycopg.errors.InsufficientPrivilege):
            conn.execute(setting.format(sql.Identifier(conn.info.dbname)))


def _stored_connections(conn: psycopg.Connection) -> str | None:
    row = conn.execute(
        "SELECT substring(one FROM '=(.*)') FROM pg_catalog.pg_db_role_setting s, unnest(s.setconfig) one"
        " WHERE s.setrole = 0 AND s.setdatabase = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())"
        " AND one LIKE 'citus.max_cached_conns_per_worker=%'"
    ).fetchone()
    return None if row is None else str(row[0])


def state(conn: psycopg.Connection) -> Shards | None:
    """Return the state of a distributed collection; None if it is on one server."""
    if conn.execute("SELECT to_regprocedure('stc.distributed()') IS NULL").fetchone() == (True,):
        return None
    if conn.execute("SELECT stc.distributed()").fetchone() != (True,):
        return None
    row = conn.execute(
        "SELECT count(DISTINCT p.logicalrelid), count(DISTINCT s.shardid) FILTER (WHERE s.logicalrelid = 'public.dblp'::regclass),"
        " count(DISTINCT l.groupid)"
        " FROM pg_dist_partition p JOIN pg_dist_shard s USING (logicalrelid) JOIN pg_dist_placement l USING (shardid)"
        " WHERE p.partmethod = 'h'"
    ).fetchone()
    assert row is not None  # noqa: S101
    return Shards(*row)


def refuse(conn: psycopg.Connection, action: str) -> None:
    """Check that the collection is on one server. :raises StateError: it is distributed."""
    if state(conn) is not None:
        conn.execute("SELECT stc.refuse_distributed(%s)", [action])


def _already(settings: Settings, shards: Shards) -> StateError:
    return StateError(
        f"{settings.db!r} is already distributed: {counted(shards.shards, 'shard')} on {counted(shards.workers, 'server')}",
        hint="'stc db distribute --undo' moves it back to one server.",
        sqlstate="IR415",
    )


def check_cluster(conn: psycopg.Connection, shards: int | None) -> tuple[str, ...]:
    """Return the addresses of the workers of a database, which need not be a collection.

    :raises BadArgument: ``shards`` is out of range. :raises StateError: the database cannot be distributed.
    """
    _check_shards(shards)
    return _workers(conn)


def _check_shards(shards: int | None) -> None:
    if shards is not None and not 1 <= shards <= MOST_SHARDS:
        raise BadArgument(f"{counted(shards, 'shard')}", hint=f"Use 1 to {MOST_SHARDS:,}.")


def _plan(conn: psycopg.Connection, shards: int | None) -> DistributionPlan:
    _check_shards(shards)
    with conn.cursor(row_factory=class_row(Placement)) as cursor:
        placements = tuple(
            cursor.execute("SELECT relation::text, placement, attribute::text, bytes FROM stc.distribution_plan()").fetchall()
        )
    with conn.cursor(row_factory=class_row(Loss)) as cursor:
        losses = tuple(
            cursor.execute(
                "SELECT kind, relation::text, name, definition, replace_sql AS replacement FROM stc.distribution_losses()"
            ).fetchall()
        )
    workers: tuple[str, ...] = ()
    obstacle = None
    try:
        workers = _workers(conn)
    except StateError as error:
        obstacle = error
    planned = shards or SHARDS_PER_WORKER * len(workers) or None
    return DistributionPlan(planned, workers, placements, losses, obstacle)


def check_citus(conn: psycopg.Connection) -> None:
    """Check that the database has Citus. :raises StateError: it is missing, or too old."""
    db = conn.info.dbname
    row = conn.execute(
        "SELECT installed_version, default_version FROM pg_catalog.pg_available_extensions WHERE name = 'citus'"
    ).fetchone()
    if row is None:
        raise StateError(
            "the server does not have Citus",
            hint=f"Install Citus {OLDEST_CITUS[0]} or later on every server and add it to shared_preload_libraries.",
            sqlstate="IR404",
        )
    installed, offered = row
    if installed is None:
        raise StateError(
            f"Citus is on the server, but not in the database {db!r}",
            hint=PREPARE,
            sqlstate="IR404",
        )
    if parts(installed) < OLDEST_CITUS:
        raise StateError(
            f"the database {db!r} has Citus {installed}; distributing a collection needs {OLDEST_CITUS[0]} or later",
            hint="Ask the servers' administrator to upgrade Citus"
            + (", and to run in this database on every server: ALTER EXTENSION citus UPDATE;" if offered != installed else "."),
            sqlstate="IR413",
        )


def _workers(conn: psycopg.Connection) -> tuple[str, ...]:
    """Return the addresses of the workers. :raises StateError: the database cannot be distributed."""
    check_citus(conn)
    db = conn.info.dbname
    nodes = conn.execute(
        "SELECT nodename || ':' || nodeport, isactive FROM pg_dist_node"
        " WHERE noderole = 'primary' AND shouldhaveshards ORDER BY nodeid"
    ).fetchall()
    if not any(active for _, active in nodes):
        raise StateError(
            f"Citus has no workers in the database {db!r}",
            hint="Ask the servers' administrator to run, in this database, for each worker: SELECT citus_add_node('HOST', PORT);",
        )
    silent = conn.execute(
        "SELECT DISTINCT to_nodename || ':' || to_nodeport FROM citus_check_cluster_node_health()"
        " WHERE result IS NOT TRUE ORDER BY 1"
    ).fetchall()
    if silent:
        raise StateError(
            f"these servers of the cluster do not answer all others: {', '.join(address for (address,) in silent)}",
            hint="Start them, or check their network, then run the command again.",
        )
    check_processes(conn)
    for address, active in nodes:
        if active:
            compare_text_settings(conn, address)
    return tuple(address for address, active in nodes if active)


class Processes(NamedTuple):
    """Background processes of a server. Citus needs one in each database: without it, some of its functions crash the server.

    :param runs: whether Citus' process of this database runs. :param databases: number of databases that have one.
    :param most: the server's max_worker_processes. :param used: processes that this role sees.
    """

    address: str
    runs: bool
    databases: int
    most: int
    used: int


def processes(conn: psycopg.Connection) -> list[Processes]:
    """Return the background processes of the coordinator and of the workers that answer."""
    conn.execute("SELECT pg_stat_clear_snapshot()")
    rows = [(f"{conn.info.host}:{conn.info.port}", row[0]) for row in conn.execute(_PROCESSES).fetchall()]
    rows += conn.execute(
        "SELECT nodename || ':' || nodeport, result FROM run_command_on_workers(%s) WHERE success ORDER BY 1", [_PROCESSES]
    ).fetchall()
    return [Processes(address, **json.loads(facts)) for address, facts in rows]


def check_processes(conn: psycopg.Connection) -> None:
    """Check that Citus' process of this database runs on every server. :raises StateError: a server has no free process."""
    deadline = time.monotonic() + _PROCESS_SECONDS
    while missing := [server for server in processes(conn) if not server.runs]:
        if time.monotonic() > deadline or any(server.used >= server.most for server in missing):
            where = ", ".join(server.address for server in missing)
            most = max(server.most for server in missing)
            raise StateError(
                f"Citus has no process for the database {conn.info.dbname!r} on {where}: it needs one for each database,"
                f" {max(server.databases for server in missing)} others have theirs, and max_worker_processes is {most}",
                hint=f"Have the servers' administrator run ALTER SYSTEM SET max_worker_processes = {max(64, 2 * most)}; on {where},"
                " restart PostgreSQL there, then run the command again. Nothing was changed.",
            )
        time.sleep(0.1)


def compare_text_settings(conn: psycopg.Connection, address: str) -> None:
    """Compare how a worker and this server treat text: encoding, locale, version of the collation, text search configuration.

    :raises StateError: they differ, so that the shards of this worker would have other words or another order.
    """
    config = "pg_catalog.english"
    if conn.execute("SELECT to_regclass('stc.text_index') IS NOT NULL").fetchone() == (True,):
        row = conn.execute("SELECT config::text FROM stc.text_index").fetchone()
        config = row[0] if row else config
    statement = _TEXT_SETTINGS.format(name=sql.quote(config))
    row = conn.execute(statement.encode()).fetchone()
    here: dict[str, str | None] = json.loads(row[0]) if row else {}
    reply = conn.execute(
        "SELECT success, result FROM run_command_on_workers(%s) WHERE nodename || ':' || nodeport = %s", [statement, address]
    ).fetchone()
    hint = (
        f"Drop the database {conn.info.dbname!r} of {address} and create it with the encoding, locale and text search"
        " configuration of this server, on the same version of the operating system's libraries. Nothing was changed."
    )
    if reply is None or not reply[0]:
        answer = reply[1] if reply else "no answer"
        raise StateError(f"the text settings of {address} cannot be read: {answer}", hint=hint)
    theirs: dict[str, str | None] = json.loads(reply[1])
    other = [f"{name} {theirs.get(name)!r} (here {value!r})" for name, value in here.items() if theirs.get(name) != value]
    if other:
        raise StateError(f"{address} treats text differently: {', '.join(other)}", hint=hint)
