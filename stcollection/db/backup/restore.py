"""``stc db restore``: a dump becomes a collection; nothing of it is seen before it is whole, and nothing of it is executed.

In a database under a temporary name our own migrations make the tables of the dump's revision, and the rows are copied into them
as the role that owns collections. Then tables and functions are put in step with this version, the indexes of text and vectors are
built as their own commands build them, rows and editions are compared with the manifest, and the database gets its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import psycopg
from psycopg import sql

from stcollection.db import dictionaries
from stcollection.db.backup import archive, inventory, manifest, programs, rows, schemas, scratch, session, tables
from stcollection.db.backup.dump import Tell, quiet
from stcollection.db.backup.indexes import build
from stcollection.db.backup.manifest import OURS, Manifest
from stcollection.db.connection import conninfo, maintenance
from stcollection.db.embedded import binaries
from stcollection.db.pool import worker_count
from stcollection.db.settings import Settings
from stcollection.db.step import head, revision, revisions
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, BadInput, StateError, translate


@dataclass(frozen=True)
class Restored:
    """A dump that was restored.

    :param digest: of the manifest. :param upgraded: to which revision, None where the dump was of this version's.
    :param rows: that were compared. :param editions: whose fingerprints were compared. :param notes: what is not as it was.
    """

    collection: str
    manifest: Manifest
    digest: str
    upgraded: str | None
    rows: int
    editions: int
    notes: list[str] = field(default_factory=list)


@translate()
def restore(
    settings: Settings,
    folder: Path,
    *,
    jobs: int | None = None,
    with_schemas: Sequence[str] = (),
    skip_unknown: bool = False,
    tell: Tell = quiet,
    progress: programs.Progress | None = None,
) -> Restored:
    """Make the collection that ``settings`` name from a dump.

    :param jobs: tables and indexes at a time; one a core, at most 8, if None.
    :param with_schemas: schemas of other people in the dump that are restored too.
    :param skip_unknown: leave out what a dump of version 0.1 holds beside the collection.
    :raises BadArgument: the collection is there and not empty; no such folder; no such schema in the dump.
    :raises BadInput: the dump is not whole, was changed, is plain SQL, or holds what a collection does not have.
    :raises StateError: it is newer than this version; the server lacks an extension; another restore of the name is under way.
    :raises DatabaseError: the server failed, as where its disk is full.
    """
    workers = worker_count(jobs)
    described, digest = manifest.read(folder)
    _acceptable(folder, described)
    missing = [name for name in with_schemas if name not in described.schemas]
    if missing:
        there = ", ".join(described.schemas) or "none"
        raise BadArgument(f"the dump does not hold the schema {missing[0]!r}", hint=f"Schemas of other people in it: {there}.")
    _free(settings)
    tell("comparing checksums")
    manifest.verify(folder, described, jobs=workers, progress=progress)
    with maintenance(settings) as conn:
        major = conn.info.server_version // 10000
        schemas.check_names(conn, described.schemas, with_schemas)
    source = _Files(folder, described) if described.format > 1 else archive.read(folder, described, major=major)
    notes = [*described.notes, *source.check(skip_unknown=skip_unknown)]
    with scratch.making(settings, purpose="restore", collection=settings.db) as (admin, name):
        unfinished = replace(settings, db=name)
        _put_dictionaries(settings, folder, described)
        with scratch.reach(settings, name) as conn:
            notes += make_extensions(conn, described.extensions)
        tell(f"restoring {len(source.columns)} tables, {workers} at a time")
        loaded = fill(unfinished, source, revision=described.revision, config=_config(described), jobs=workers, progress=progress)
        for table, count in described.tables.items():
            if table not in OURS and table not in described.emptied and (described.format > 1 or archive.ours(table)):
                _same(table, loaded.get(table, 0), count)
        tell("vacuum and statistics")
        with scratch.reach(settings, name) as conn:
            conn.execute("VACUUM (ANALYZE)")
        step = upgrade(unfinished, force=True, restrict=True)
        upgraded = step.after if step.after != described.revision else None
        notes += build(unfinished, described, jobs=workers, tell=tell)
        if with_schemas:
            tell(f"restoring the schemas {', '.join(with_schemas)}")
            notes += schemas.restore(unfinished, folder, described, with_schemas, server=major, admin=admin)
        left = [one for one in described.schemas if one not in with_schemas]
        if left:
            notes.append(f"left out the schemas {', '.join(left)}: --with-schemas restores them")
        tell("comparing rows and editions")
        with scratch.reach(settings, name) as conn:
            session.enter(conn, session.owner(conn))
            if upgraded is None:  # an upgrade may repair rows
                _compare_rows(conn, described)
            editions = _compare_editions(conn, described)
        _make_room(settings, admin)
        scratch.finish(admin, name, collection=settings.db)
    return Restored(settings.db, described, digest, upgraded, described.rows, editions, notes)


class RestoreSource(Protocol):
    """Rows and settings that a database is filled with.

    :ivar columns: of each table that has rows. :ivar sequences: name to last value.
    :ivar text_search: dictionaries and configurations.
    """

    columns: dict[str, Sequence[str]]
    sequences: dict[str, int]
    text_search: dict[str, list[dict[str, Any]]]

    def blocks(self, name: str, /) -> Iterator[bytes]:
        """The rows of a table, in the text format of COPY."""
        ...


class _Files:
    """The rows of a dump of format 2."""

    def __init__(self, folder: Path, described: Manifest) -> None:
        self._folder, self._described = folder, described
        self.columns: dict[str, Sequence[str]] = dict(described.columns)
        self.sequences = described.sequences
        self.text_search = described.text_search

    def check(self, *, skip_unknown: bool) -> list[str]:
        """Whether there is a file of each table. :raises BadInput: one is missing, or the manifest names no rows of it."""
        for name in self.columns:
            if f"public.{name}" in OURS:
                raise BadInput(f"the dump has rows of {name}, which a restore makes itself", hint="Do not trust this dump.")
            if not archive.ours(f"public.{name}"):
                raise BadInput(
                    f"the dump has tables that a collection of its revision does not have: {name}", hint="Do not trust this dump."
                )
            file = rows.file_name(name)
            if file not in self._described.files or "unpacked" not in self._described.files[file]:
                raise BadInput(f"the dump lacks the file {file}", hint="Fetch the dump again, or have it made anew.")
        return []

    def blocks(self, table: str) -> Iterator[bytes]:
        file = rows.file_name(table)
        return rows.blocks(self._folder / file, unpacked=self._described.files[file]["unpacked"], name=file)


def _config(described: Manifest) -> str | None:
    """The configuration of the text index, None where there is no index."""
    text = described.indexes.get("text")
    if text is None:
        return None
    return str(text.get("config", "english")).removeprefix("public.").removeprefix("pg_catalog.")


def _acceptable(folder: Path, described: Manifest) -> None:
    """Refuse what is not for this version."""
    if described.kind != "dump":
        raise BadInput(f"{folder} holds plain SQL, not a dump", hint="Load it by psql: gunzip -c *.sql.gz | psql DATABASE.")
    known = {number for number, _ in revisions()}
    if described.revision not in known:
        raise StateError(
            f"the dump was made by a newer version (stcollection {described.stcollection}, revision {described.revision};"
            f" this one has {head()})",
            hint="Install that version: pip install --upgrade stcollection.",
        )
    if described.format == 1 and "data/toc.dat" not in described.files:
        raise BadInput(f"{folder} has no data/toc.dat: it is no dump", hint="Fetch the dump again, or have it made anew.")


# What a database holds that is neither PostgreSQL's nor an extension's; of a collection, what is not in its schemas.
_OWN = r"""
SELECT coalesce(min(name), '') FROM (
    SELECT c.oid::regclass::text, c.relnamespace, 'pg_class'::regclass, c.oid FROM pg_class c WHERE c.relkind <> 't'
    UNION ALL SELECT p.oid::regprocedure::text, p.pronamespace, 'pg_proc'::regclass, p.oid FROM pg_proc p
) o (name, schema, class, oid)
 WHERE o.schema::regnamespace::text NOT LIKE 'pg\_%%' AND o.schema::regnamespace::text <> 'information_schema'
   AND NOT o.schema::regnamespace::text = ANY (%s)
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype = 'e')
"""


def _free(settings: Settings) -> None:
    """Refuse a database that is there and holds anything: rows of a collection, objects that are none of its."""
    with maintenance(settings) as admin:
        if settings.db == admin.info.dbname:
            raise BadArgument(f"{settings.db!r} is the server's own database", hint="Restore under another name: --db NAME.")
        if admin.execute("SELECT FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None:
            return
    with scratch.reach(settings, settings.db) as conn:
        collection = revision(conn) is not None
        schemas_ = ["public", inventory.internals(conn)] if collection else []
        [[held]] = conn.execute(_OWN, [schemas_]).fetchall()
        for table in inventory.tables(conn) if collection else []:
            if table.qualified in OURS:
                continue
            if conn.execute(sql.SQL("SELECT FROM {} LIMIT 1").format(table.identifier)).fetchone() is not None:
                held = f"rows of {table.qualified}"
                break
        if held:
            raise BadArgument(
                f"the collection {settings.db!r} is there and not empty: it holds {held}",
                hint="Restore under another name, --db NAME; or remove it first: 'stc db drop'.",
            )


def _make_room(settings: Settings, admin: psycopg.Connection) -> None:
    """Remove the empty collection of that name; not from under somebody who uses it, nor if it was filled meanwhile."""
    _free(settings)
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(settings.db)))


def _put_dictionaries(settings: Settings, folder: Path, described: Manifest) -> None:
    """Put files of dictionaries where the embedded server reads them."""
    names = [name.split("/", 1)[1] for name in described.files if name.startswith("tsearch_data/")]
    for name in names:
        if not re.fullmatch(r"stc_[0-9a-f]{12}_\w+\.(ths|syn|stop)", name):
            raise BadInput(f"the dump holds a file that is no dictionary: {name!r}", hint="Do not trust this dump.")
        dictionaries.keep(settings.home, name, (folder / "tsearch_data" / name).read_text(encoding="utf-8"))
    if names and settings.embedded:
        dictionaries.restore(settings.home, binaries())


# Made by the builds of indexes and by the embedding service, where the server has them.
_OPTIONAL = ("pg_textsearch", "vectorscale", "http")


def make_extensions(conn: psycopg.Connection, wanted: dict[str, dict[str, str]]) -> list[str]:
    """Make pgvector, in this server's version. Index builds and the embedding service make theirs; no other is made.

    :param wanted: version and schema of each extension of the dump.
    :returns: what is not there.
    :raises StateError: the server lacks pgvector.
    """
    conn.execute("SET client_min_messages = warning")
    there = {name for (name,) in conn.execute("SELECT name FROM pg_available_extensions").fetchall()}
    if "vector" not in there:
        raise StateError("the server does not have the extension vector", hint="Install it there.", sqlstate="IR404")
    conn.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    notes = [f"this server does not have the extension {name}" for name in _OPTIONAL if name in wanted and name not in there]
    others = sorted(set(wanted) - {"vector", *_OPTIONAL})
    if others:
        notes.append(f"left out the extensions {', '.join(others)}, which a collection does not need: CREATE EXTENSION makes them")
    return notes


def fill(
    settings: Settings,
    source: RestoreSource,
    *,
    revision: str,
    config: str | None,
    jobs: int,
    progress: programs.Progress | None = None,
) -> dict[str, int]:
    """Make the tables of a revision in the empty database of ``settings``, and copy rows into them.

    :param source: columns and rows of the tables, values of sequences, text search configurations.
    :param config: the configuration of the text index.
    :returns: rows of each table.
    :raises BadInput: what the dump has does not fit the tables.
    """
    tables.migrate(psycopg.connect(conninfo(settings)), revision)
    with scratch.reach(settings, settings.db) as conn:
        role = tables.prepare(conn)
        tables.make_text_search(conn, source.text_search, config)
        again = tables.put_keys_aside(conn)
        # What migrations put into the tables is in the dump too.
        for one in inventory.tables(conn):
            if one.qualified not in OURS:
                conn.execute(sql.SQL("TRUNCATE {}").format(one.identifier))
        models = {"vector_models": source.columns["vector_models"]} if "vector_models" in source.columns else {}
        loaded = {}
        for table in tables.matching(conn, models).values():
            loaded[table.qualified] = rows.load(conn, table, source.blocks(table.name))
        tables.make_model_tables(conn, source.columns)
        targets = tables.matching(conn, source.columns)
        again += [one for one in tables.put_keys_aside(conn) if one not in again]

        def connect() -> psycopg.Connection:
            own = scratch.reach(settings, settings.db)
            session.enter(own, role)
            return own

        finished = 0

        def done(_: int) -> None:
            nonlocal finished
            finished += 1
            if progress is not None:
                progress(finished, len(targets))

        others = [one for name, one in targets.items() if name != "vector_models"]
        counts = session.each(
            lambda own, table: rows.load(own, table, source.blocks(table.name)), others, connect=connect, jobs=jobs, done=done
        )
        loaded.update(zip((one.qualified for one in others), counts, strict=True))
        tables.put_keys_back(conn, again)
        tables.set_sequences(conn, source.sequences)
    return loaded


def _compare_rows(conn: psycopg.Connection, described: Manifest) -> None:
    """Compare the rows of each table with the manifest. :raises StateError: a table has others."""
    there = {one.qualified: one for one in inventory.tables(conn, partitioned=True)}
    for name, said in described.tables.items():
        if name in there and name not in OURS and name not in described.emptied:
            _same(name, inventory.count(conn, there[name]), said)


def _same(name: str, found: int, said: int) -> None:
    if found != said:
        raise StateError(
            f"what was restored is not what was dumped: {name} has {found} rows, not {said}",
            hint="Restore it again; nothing was kept.",
        )


def _compare_editions(conn: psycopg.Connection, described: Manifest) -> int:
    """What each edition says against the manifest. :raises StateError: one says something else."""
    found = inventory.editions(conn)
    for name, said in described.editions.items():
        if found.get(name, {}).get("says") != said["says"]:
            raise StateError(
                f"the edition {name!r} says something else than when it was dumped", hint="Restore it again; nothing was kept."
            )
    return len(described.editions)
