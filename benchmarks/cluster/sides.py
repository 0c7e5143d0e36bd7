"""The two collections that are compared: one server, and a coordinator with three workers, all on this machine."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
import psycopg

from benchmarks.common import dsn
from stcollection.db.collections import create, create_distributed, drop
from stcollection.db.settings import Settings
from tests.cluster.servers import Cluster
from tools.proxy import RowCounter, proxy

NAME = "bench_cluster"


@dataclass(frozen=True)
class Sides:
    """The two sides of the comparison.

    :param one: the collection on one server. :param spread: the distributed collection. :param alone, cluster: their servers.
    """

    one: Settings
    spread: Settings
    alone: Cluster
    cluster: Cluster

    @property
    def both(self) -> tuple[tuple[str, Settings], ...]:
        return ("one server", self.one), ("cluster", self.spread)


@contextlib.contextmanager
def sides(folder: Path, shards: int) -> Iterator[Sides]:
    """Start the servers and create the collections if they do not exist yet; stop the servers at the end.

    The one server gets as much memory as the four together.
    """
    alone = _servers(folder / "one", 0, {"shared_preload_libraries": "'pg_textsearch'"})
    cluster = _servers(folder / "cluster", 3, {})
    with alone.running(), cluster.running():
        found = Sides(
            Settings(db=NAME, home=folder, dsn=alone.dsn(NAME)),
            Settings(db=NAME, home=folder, dsn=cluster.dsn(NAME)),
            alone,
            cluster,
        )
        create(found.one, exist_ok=True)
        fresh(found, shards, exist_ok=True)
        _as_started(cluster)
        yield found


def fresh(found: Sides, shards: int, *, exist_ok: bool = False) -> None:
    """Create the distributed collection in a new database, unless it exists and ``exist_ok`` is set."""
    with psycopg.connect(found.cluster.dsn(), autocommit=True) as conn:
        exists = conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [found.spread.db]).fetchone() is not None
    if exists and exist_ok:
        with psycopg.connect(dsn(found.spread), autocommit=True) as conn:
            if conn.execute("SELECT to_regprocedure('stc.distributed()')").fetchone() != (None,):
                return
    for attempt in range(10):
        try:
            found.cluster.drop_database(found.spread.db)
            break
        except psycopg.errors.ObjectInUse:  # Citus' own sessions come back
            if attempt == 9:
                raise
            time.sleep(1)
    found.cluster.database(found.spread.db)
    create_distributed(found.spread, shards=shards)


def empty(found: Sides, shards: int) -> None:
    """Create both collections again."""
    drop(found.one)
    create(found.one)
    fresh(found, shards)


@contextlib.contextmanager
def counted(found: Sides) -> Iterator[RowCounter]:
    """Send the rows of the workers through proxies that count them. Connections that are open already are not counted."""
    counter = RowCounter()
    with contextlib.ExitStack() as stack, psycopg.connect(dsn(found.spread), autocommit=True) as conn:
        try:
            for port in found.cluster.ports[1:]:
                _redirect(conn, port, stack.enter_context(proxy(port, counter)))
            yield counter
        finally:
            _as_started(found.cluster)


def processor_seconds(servers: Cluster) -> float:
    """Return the processor time of all processes of the servers, also of those that ended: it does not depend on other work."""
    total = 0.0
    for file in servers.folder.glob("*/postmaster.pid"):
        first = psutil.Process(int(file.read_text().split()[0]))
        total += sum(first.cpu_times()[:4])  # its own, and of ended children
        for child in first.children():
            with contextlib.suppress(OSError):
                total += int(Path(f"/proc/{child.pid}/schedstat").read_text().split()[0]) / 1e9
    return total


def _redirect(conn: psycopg.Connection, port: int, to: int) -> None:
    conn.execute("SELECT citus_update_node(nodeid, nodename, %s) FROM pg_dist_node WHERE nodeport = %s", [to, port])


def _as_started(cluster: Cluster) -> None:
    """Let the coordinator connect to the workers directly, also after an interrupted count."""
    with psycopg.connect(cluster.dsn(NAME), autocommit=True) as conn:
        nodes = conn.execute("SELECT nodeid, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY groupid").fetchall()
        for (node, now), port in zip(nodes, cluster.ports[1:], strict=True):
            if now != port:
                conn.execute("SELECT citus_update_node(%s, '127.0.0.1', %s)", [node, port])


def _servers(folder: Path, workers: int, options: dict[str, str]) -> Cluster:
    found = Cluster.find(folder)
    if found is None:
        shutil.rmtree(folder, ignore_errors=True)  # what an interrupted start left
        found = Cluster.create(folder, workers=workers, options=options)
    return found
