"""Report the server of a collection, whether the collection matches this version, and manual changes to it."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg

from stcollection.counts import counted
from stcollection.db import catalogue, distribution, online
from stcollection.db.connection import connect
from stcollection.db.current import in_step
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.objects import drift
from stcollection.db.roles import describe_roles, open_to_all
from stcollection.db.settings import Settings
from stcollection.db.step import check_upgradable, head, revision
from stcollection.db.versions import defects, requests
from stcollection.errors import StateError

Fact = tuple[str, str]  # subject (empty: as before), and a sentence


def status(settings: Settings) -> Iterator[Fact]:
    """Yield facts about a collection, from its server to its rights; for a stopped server only that."""
    if settings.embedded:
        server = EmbeddedServer(settings.home)
        pid = server.pid()
        yield "server", f"embedded, {f'running (pid {pid})' if pid else 'stopped'}, data in {server.data}"
        if pid is None:
            yield "", "'stc db start' or any command that needs it starts it"
            return
    with connect(settings, check=False) as conn:
        yield from _server(conn, settings)
        at = revision(conn)
        if at is None:
            hint = f"'stc --db {settings.db} db upgrade' makes it a collection"
            yield "collection", f"{settings.db!r} is a database, but not a collection; {hint}"
        else:
            yield from _collection(conn, settings.db, at)


def _server(conn: psycopg.Connection, settings: Settings) -> Iterator[Fact]:
    if not settings.embedded:
        yield "server", f"{conn.info.host}:{conn.info.port}, user {conn.info.user}"
    extensions = conn.execute(
        "SELECT string_agg(extname || ' ' || extversion, ', ' ORDER BY extname) FROM pg_extension WHERE extname <> 'plpgsql'"
    ).fetchone()
    version = conn.info.server_version
    yield "PostgreSQL", f"{version // 10000}.{version % 10000}, {extensions[0] if extensions else ''}"
    for defect in defects(conn):
        yield "defect", f"{defect.extension} {defect.version}: {defect.sentence}"
        yield "", defect.action
    for request in requests(conn):
        yield "request", request
    if conn.execute("SELECT to_regclass('pg_catalog.pg_dist_node') IS NOT NULL").fetchone() == (True,):
        yield from _processes(distribution.processes(conn))


def _processes(servers: list[distribution.Processes]) -> Iterator[Fact]:
    """Yield whether Citus has its process for this database on every server, and for how many other databases it has room."""
    missing = [server.address for server in servers if not server.runs]
    sentence = f"has no process for this database on {', '.join(missing)}" if missing else "has its process for this database"
    least = min(servers, key=lambda server: server.most - server.databases)
    free = max(0, least.most - least.databases - 1)  # PostgreSQL itself uses one
    yield "Citus", f"{sentence}, and room for at most {counted(free, 'other database')} (max_worker_processes {least.most})"
    if missing or not free:
        where = ", ".join(missing) or least.address
        yield "", f"more need a larger max_worker_processes on {where}, and a restart of PostgreSQL there"


def _collection(conn: psycopg.Connection, name: str, at: str) -> Iterator[Fact]:
    try:
        check_upgradable(at, name)
    except StateError as error:
        yield "collection", str(error)
        yield "", str(error.hint)
        return
    current = in_step(conn)
    step = "up to date" if current else f"does not match revision {head()} of this version: run 'stc db upgrade'"
    yield "collection", f"{name!r}, revision {at}, {step}"
    if current and (work := online.pending(conn, at)):
        count = len(work.checks) + len(work.indexes)
        yield "unfinished", f"{count} checks and indexes are missing: 'stc db upgrade' adds them; everything works meanwhile"
    if current:
        yield from _text_index(conn)
    spread = distribution.state(conn)
    if spread is not None:
        yield (
            "distributed",
            f"{counted(spread.tables, 'table')} in {counted(spread.shards, 'shard')} on"
            f" {counted(spread.workers, 'server')}, by Citus",
        )
        yield "", "keys and triggers that Citus does not support are dropped: 'stc db distribute --undo' restores them"
    elif current:
        yield "disk", _disk(conn)
    yield "roles", describe_roles(conn)
    if changed := drift(conn):
        yield "drift", f"manual changes in the database: {', '.join(changed)}"
    for change in catalogue.drift(conn):
        if spread is None or change.kind not in distribution.EXPECTED_DRIFT:
            yield "drift", str(change)
    if (may := open_to_all(conn)) is not None:
        yield "public", f"{may}; 'stc db upgrade --restrict' revokes that"


def _text_index(conn: psycopg.Connection) -> Iterator[Fact]:
    """Yield what is wrong with the text index, if it exists."""
    row = conn.execute("SELECT stale, lost, documents FROM stc.text_status() WHERE built IS NOT NULL AND NOT sound").fetchone()
    if row is not None:
        stale, lost, documents = row
        wrong = (
            f"does not find {lost:,} of {counted(documents, 'document')}"
            if lost
            else "stale"
            if stale
            else "does not match the documents"
        )
        yield "text index", f"{wrong}: run 'stc index'"


def disk_usage(conn: psycopg.Connection) -> list[tuple[str, int]]:
    """Return the bytes on disk of each part of the collection, largest first (sql/db/disk_usage.sql)."""
    return conn.execute("SELECT part, bytes FROM stc.disk_usage()").fetchall()


def _disk(conn: psycopg.Connection) -> str:
    """Return what the parts of the collection take on disk, largest first, as a sentence."""
    parts = disk_usage(conn)
    large = [f"{part} {size / 1e6:,.0f} MB" for part, size in parts if size >= 500_000]
    return f"{sum(size for _, size in parts) / 1e6:,.0f} MB" + (f": {', '.join(large)}" if large else "")
