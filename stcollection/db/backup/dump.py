"""Dump a collection (``stc db dump``): write its rows to a folder, read by several sessions in one snapshot.

A dump contains rows and no code: no functions, views, triggers or policies, and by default no other schemas. Restore creates the
tables with its own migrations and copies the rows into them.
"""

from __future__ import annotations

import datetime
import errno
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.db.backup import cluster, inventory, programs, rows, schemas, session, text_search
from stcollection.db.backup.folder import claimed
from stcollection.db.backup.inventory import StoredTable
from stcollection.db.backup.manifest import OURS, Manifest, describe, made_by, write
from stcollection.db.backup.rows import WrittenTable
from stcollection.db.connection import connect, conninfo
from stcollection.db.dictionaries import kept_folder
from stcollection.db.pool import worker_count
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import check_upgradable, revision
from stcollection.errors import StateError, translate

Tell = Callable[[str], None]

# Tables that restore recomputes with the text index.
EMPTIED = ("text_lexemes", "text_lengths")


@dataclass(frozen=True)
class Dumped:
    """A finished dump.

    :param digest: digest of the manifest, which identifies the dump.
    """

    folder: Path
    manifest: Manifest
    digest: str


def quiet(_: str) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class DumpOptions:
    """Options of a dump.

    :param jobs: number of tables dumped in parallel. :param with_schemas: further schemas, dumped by pg_dump.
    :param tell: called with each step. :param progress: called with the number of finished tables and their total.
    """

    jobs: int
    with_schemas: Sequence[str] = ()
    tell: Tell = quiet
    progress: programs.Progress | None = None


@dataclass(frozen=True, kw_only=True)
class DumpOrigin:
    """Manifest entries for a temporary database that is dumped instead of the collection.

    :param collection: the original collection; None if the collection itself is dumped. :param sample: how it was drawn.
    :param notes: notes that restore prints.
    """

    collection: str | None = None
    sample: dict[str, Any] | None = None
    notes: Sequence[str] = ()


WHOLE = DumpOrigin()


@translate()
def dump(
    settings: Settings,
    folder: Path,
    *,
    jobs: int | None = None,
    with_schemas: Sequence[str] = (),
    tell: Tell = quiet,
    progress: programs.Progress | None = None,
) -> Dumped:
    """Dump the collection into a new or empty folder.

    The dump of a distributed collection is that of one server. Sessions that store or remove documents wait meanwhile.

    :param jobs: number of tables dumped in parallel; default one per core, at most 8.
    :param with_schemas: further schemas to dump with pg_dump.
    :raises BadArgument: the folder is not empty; fewer than one job; a schema does not exist.
    :raises StateError: not a collection; another dump is writing there; pg_dump is missing or older than the server.
    :raises DatabaseError: the role cannot see all rows; the disk is full.
    """
    workers = worker_count(jobs)
    with connect(settings, check=False) as conn, claimed(folder) as lock:
        options = DumpOptions(jobs=workers, with_schemas=with_schemas, tell=tell, progress=progress)
        return dump_claimed(conn, settings, folder, lock=lock, options=options)


def dump_claimed(
    conn: psycopg.Connection,
    settings: Settings,
    folder: Path,
    *,
    lock: int,
    options: DumpOptions,
    origin: DumpOrigin = WHOLE,
) -> Dumped:
    """Do the work of :func:`dump` in a claimed folder."""
    tell = options.tell
    at = revision(conn)
    if at is None:
        raise StateError(f"the database {settings.db!r} is not a collection", hint="'stc show collections' shows all collections.")
    check_upgradable(at, settings.db)
    conn.rollback()
    owners = schemas.check(conn, options.with_schemas)
    spread = cluster.hold_writers(conn)
    conn.rollback()
    # The owner cannot log in to the workers of a distributed collection.
    role = None if spread else session.owner(conn)
    session.enter(conn, role)
    conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    tables = inventory.tables(conn)
    inventory.check_sees_all(conn, tables)
    [[snapshot]] = conn.execute("SELECT pg_export_snapshot()").fetchall()
    indexed, rebuilt = inventory.indexes(conn)
    emptied = [table.qualified for table in tables if table.name in EMPTIED and indexed["text"] is not None]
    saved = [table for table in tables if table.qualified not in OURS and table.qualified not in emptied]
    tell(f"dumping {counted(len(saved), 'table')}, {options.jobs} at a time")
    inventory.lock(conn, tables)
    (folder / rows.FOLDER).mkdir(mode=0o700)  # it contains hidden judgments
    finished = 0

    def tick(_: WrittenTable) -> None:
        nonlocal finished
        finished += 1
        if options.progress is not None:
            options.progress(finished, len(saved))

    special = cluster.queries(conn) if spread else {}
    written = session.run_parallel(
        lambda own, table: rows.save(own, table, folder, query=special.get(table.name)),
        by_size(conn, saved),
        connect=lambda: reader(settings, role, snapshot),
        jobs=options.jobs,
        on_result=tick,
    )
    counts = {part.table.qualified: part.rows for part in written}
    for table in tables:
        if table.qualified not in counts:
            counts[table.qualified] = inventory.count(conn, table)
    configurations = text_search.describe(conn)
    files = _dictionaries(configurations, settings, folder, tell)
    editions = inventory.editions(conn)
    extensions = inventory.extensions(conn)
    last = inventory.sequences(conn, tables) | (cluster.sequences(conn, tables) if spread else {})
    conn.rollback()
    if owners:
        tell(f"dumping the schemas {', '.join(owners)} with pg_dump")
        schemas.save(settings, list(owners), folder, server=conn.info.server_version // 10000, keep=lock)
    tell("computing checksums")
    described = describe(folder, jobs=options.jobs)
    for part in written:
        described[rows.file_name(part.table.name)]["unpacked"] = part.unpacked
    manifest = Manifest(
        kind="dump",
        stcollection=made_by(),
        revision=at,
        collection=origin.collection or settings.db,
        made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        postgresql=programs.server_version(conn),
        extensions=extensions,
        sample=origin.sample,
        tables=dict(sorted(counts.items())),
        emptied=emptied,
        editions=editions,
        indexes=indexed,
        rebuilt=rebuilt,
        files=described,
        notes=[*origin.notes, *files],
        columns={part.table.name: list(part.table.columns) for part in written},
        sequences=last,
        text_search=configurations,
        schemas=owners,
    )
    try:
        return Dumped(folder, manifest, write(folder, manifest))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise rows.full(folder) from error


def reader(settings: Settings, role: str | None, snapshot: str) -> psycopg.Connection:
    """Return a connection that reads the snapshot as the collection's owner."""
    conn = open_session(conninfo(settings))
    try:
        session.enter(conn, role)
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        conn.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(snapshot))
    except BaseException:
        conn.close()
        raise
    return conn


def by_size(conn: psycopg.Connection, tables: Sequence[StoredTable]) -> list[StoredTable]:
    """Sort tables by size, largest first, so that the workers finish at about the same time."""
    query = "SELECT o, pg_table_size(o::oid) FROM unnest(%s::bigint[]) o"
    bytes_: dict[int, int] = dict(conn.execute(query, [[table.oid for table in tables]]).fetchall())
    return sorted(tables, key=lambda table: -bytes_[table.oid])


def _dictionaries(described: text_search.Described, settings: Settings, folder: Path, tell: Tell) -> list[str]:
    """Copy the files of custom dictionaries into the dump. :returns: notes on files that are missing here."""
    notes = []
    for name in text_search.files(described):
        source = kept_folder(settings.home) / name
        if source.exists():
            (folder / "tsearch_data").mkdir(exist_ok=True)
            shutil.copyfile(source, folder / "tsearch_data" / name)
        else:
            notes.append(f"the dictionary file {name} is not in the dump: it exists only on the server")
            tell(notes[-1])
    return notes
