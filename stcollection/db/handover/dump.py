"""``stc db dump``: the collection as a folder, by pg_dump in parallel and in one snapshot."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from stcollection.db.connection import connect, conninfo
from stcollection.db.dictionaries import kept
from stcollection.db.handover import inventory, programs
from stcollection.db.handover.folder import claimed
from stcollection.db.handover.manifest import Manifest, describe, made_by, write
from stcollection.db.pool import worker_count
from stcollection.db.settings import Settings
from stcollection.db.step import revision
from stcollection.errors import DatabaseError, StateError, translate

Tell = Callable[[str], None]

# What restore computes anew with the text index.
EMPTIED = ("public.text_lexemes", "public.text_lengths")


@dataclass(frozen=True)
class Dumped:
    """:param digest: of the manifest, by which a dump is known."""

    folder: Path
    manifest: Manifest
    digest: str


def quiet(_: str) -> None:
    pass


@translate()
def dump(
    settings: Settings, folder: Path, *, jobs: int | None = None, tell: Tell = quiet, progress: programs.Progress | None = None
) -> Dumped:
    """Dump the collection into a folder that is empty or not there.

    :param jobs: tables at a time; one a core, at most 8, if None.
    :raises BadArgument: the folder is not empty, or fewer than one job.
    :raises StateError: no collection, another dump is writing there, or pg_dump is missing or older than the server.
    :raises DatabaseError: the role does not see everything; pg_dump failed, as where the disk is full.
    """
    workers = worker_count(jobs)
    with connect(settings, check=False) as conn, claimed(folder) as lock:
        return dump_claimed(conn, settings, folder, lock=lock, jobs=workers, tell=tell, progress=progress)


def dump_claimed(
    conn: psycopg.Connection, settings: Settings, folder: Path, *, lock: int, jobs: int, tell: Tell,
    progress: programs.Progress | None = None, collection: str | None = None, sample: dict[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> Dumped:  # fmt: skip
    """The work of :func:`dump`, in a folder that is claimed.

    :param collection: the name in the manifest, where it is not that of the database. :param sample: how it was drawn.
    :param notes: what restore is to say.
    """
    inventory.whole(conn)
    at = revision(conn)
    if at is None:
        raise StateError(f"the database {settings.db!r} is no collection", hint="'stc db list' shows those there are.")
    conn.rollback()
    program = programs.find("pg_dump", server=conn.info.server_version // 10000)
    conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    conn.execute("SET LOCAL lock_timeout = '60s'")
    [[snapshot]] = conn.execute("SELECT pg_export_snapshot()").fetchall()
    tables = inventory.tables(conn)
    indexed, rebuilt = inventory.indexes(conn)
    emptied = [name for name in EMPTIED if indexed["text"] is not None]
    rows: dict[str, int] = {}
    said: dict[str, dict[str, Any]] = {}

    def count() -> None:
        rows.update(inventory.counts(conn, tables))
        said.update(inventory.editions(conn))

    tell(f"dumping {len(tables)} tables with {programs.told(program)}, {jobs} at a time")
    command = [
        program, "--format=directory", f"--file={folder / 'data'}", f"--jobs={jobs}", f"--snapshot={snapshot}", "--no-owner",
        "--no-privileges", "--compress=gzip:6", "--lock-wait-timeout=60s", *(f"--exclude-table-data={name}" for name in emptied),
    ]  # fmt: skip
    try:
        programs.run(
            command, conninfo=conninfo(settings), total=len(tables) - len(emptied), progress=progress, meanwhile=count, keep=[lock]
        )
    except DatabaseError as error:
        # Of several at once pg_dump may end without a word where the disk is full.
        if shutil.disk_usage(folder).free < 2**20 and "No space left" not in error.message:
            raise programs.failure("pg_dump", [f"No space left on the disk of {folder}"]) from error
        raise
    files = _dictionaries(conn, settings, folder, tell)
    extensions = inventory.extensions(conn)
    conn.rollback()
    tell("checksums")
    manifest = Manifest(
        kind="dump", stcollection=made_by(), revision=at, collection=collection or settings.db,
        made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), postgresql=programs.server_version(conn),
        extensions=extensions, sample=sample, tables=rows, emptied=emptied, editions=said, indexes=indexed, rebuilt=rebuilt,
        files=describe(folder, jobs=jobs), notes=[*notes, *files],
    )  # fmt: skip
    return Dumped(folder, manifest, write(folder, manifest))


def _dictionaries(conn: psycopg.Connection, settings: Settings, folder: Path, tell: Tell) -> list[str]:
    """Copy the files of dictionaries of one's own into the dump. :returns: what is to be said of those that are not here."""
    notes = []
    for name in inventory.dictionaries(conn):
        source = kept(settings.home) / name
        if source.exists():
            (folder / "tsearch_data").mkdir(exist_ok=True)
            shutil.copyfile(source, folder / "tsearch_data" / name)
        else:
            notes.append(f"the dictionary file {name} is not in the dump: it is on the server alone")
            tell(notes[-1])
    return notes
