"""Restore a collection from a dump (``stc db restore``). It is visible only when complete, and no code of the dump is executed.

Our migrations create the tables of the dump's revision in a database with a temporary name, and the rows are copied into them as
the role that owns collections. Then the database is upgraded to this version, text and vector indexes are rebuilt, and rows and
editions are compared with the manifest. Finally the database gets its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.db import adoption, dictionaries, distribution, studies
from stcollection.db.backup import cluster, inventory, manifest, programs, rows, schemas, scratch, session, tables
from stcollection.db.backup.dump import Tell, quiet
from stcollection.db.backup.indexes import build
from stcollection.db.backup.manifest import OURS, Manifest
from stcollection.db.connection import conninfo, maintenance
from stcollection.db.embedded import binaries
from stcollection.db.pool import worker_count
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import head, is_too_old, revision, revisions
from stcollection.db.studies import StoredStudy
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, BadInput, StateError, translate


@dataclass(frozen=True)
class Restored:
    """The result of a restore.

    :param digest: digest of the manifest. :param upgraded: the new revision; None if the dump had the current one.
    :param rows: number of compared rows. :param editions: number of compared fingerprints. :param notes: differences.
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
    shards: int | None = None,
    tell: Tell = quiet,
    progress: programs.Progress | None = None,
) -> Restored:
    """Restore the collection named in ``settings`` from a dump.

    :param jobs: number of tables and indexes processed in parallel; default one per core, at most 8.
    :param with_schemas: further schemas in the dump to restore. A schema belongs to its former owner, who must be a participant or
        reader on this server; ``NAME=LOGIN`` gives it to another one.
    :param shards: distribute it over the servers of a Citus cluster, in this number of shards, in a database that is prepared on
        each of them. All rows are on the coordinator first.
    :raises BadArgument: the collection exists and is not empty; the folder, or a schema in the dump, does not exist; a schema would
        belong to a role that is not a participant or reader.
    :raises BadInput: the dump is incomplete, was changed, is plain SQL, or contains foreign objects.
    :raises StateError: the dump is newer than this version; an extension is missing; another restore with this name is running.
    :raises DatabaseError: the server failed, for instance because its disk is full.
    """
    workers = worker_count(jobs)
    described, digest = manifest.read(folder)
    _acceptable(folder, described)
    with maintenance(settings) as conn:
        major = conn.info.server_version // 10000
        owners = schemas.owners(conn, described.schemas, with_schemas)
    check_free(settings)
    tell("comparing checksums")
    manifest.verify(folder, described, jobs=workers, progress=progress)
    source = _Files(folder, described)
    source.check()
    notes = [*described.notes]
    alone = scratch.making(settings, purpose="restore", collection=settings.db)
    with alone if shards is None else cluster.prepared(settings, shards) as (admin, name):
        unfinished = replace(settings, db=name)
        _put_dictionaries(settings, folder, described)
        with scratch.reach(settings, name) as conn:
            notes += make_extensions(conn, described.extensions)
        tell(f"restoring {counted(len(source.columns), 'table')}, {workers} at a time")
        loaded = fill(unfinished, source, revision=described.revision, config=_config(described), jobs=workers, progress=progress)
        for table, count in described.tables.items():
            if table not in OURS and table not in described.emptied:
                _same(table, loaded.get(table, loaded.get(table.rpartition(".")[2], 0)), count)
        notes += [_kept(study, source, described) for study in sorted({*source.apart.values()})]
        with scratch.reach(settings, name) as conn:
            notes += _forget_logins(conn)
        tell("vacuum and statistics")
        with scratch.reach(settings, name) as conn:
            conn.execute("VACUUM (ANALYZE)")
        step = upgrade(unfinished, force=True, restrict=True)
        with scratch.reach(settings, name) as conn:
            tables.separate_words(conn, described.indexes.get("words"))
        upgraded = step.after if step.after != described.revision else None
        if shards is not None:
            tell(f"distributing in {counted(shards, 'shard')}")
            distribution.distribute(unfinished, shards=shards)
        notes += build(unfinished, described, jobs=workers, tell=tell)
        if owners:
            tell(f"restoring the schemas {', '.join(owners)}")
            notes += schemas.restore(unfinished, folder, described, owners, server=major, admin=admin)
        left = [schema for schema in described.schemas if schema not in owners]
        if left:
            notes.append(f"skipped the schemas {', '.join(left)}: --with-schemas restores them")
        tell("comparing rows and editions")
        with scratch.reach(settings, name) as conn:
            session.enter(conn, session.owner(conn) if shards is None else None)
            if upgraded is None:  # an upgrade may repair rows
                _compare_rows(conn, described)
            editions = _compare_editions(conn, described)
        if shards is None:
            make_room(settings, admin)
            scratch.finish(admin, name, collection=settings.db)
    return Restored(settings.db, described, digest, upgraded, described.rows, editions, notes)


class RestoreSource(Protocol):
    """Interface of a source of rows and settings for a restore.

    :ivar columns: columns of each table with rows. :ivar sequences: name to last value.
    :ivar text_search: dictionaries and configurations. :ivar studies: those of the collection.
    """

    columns: dict[str, Sequence[str]]
    sequences: dict[str, int]
    text_search: dict[str, list[dict[str, Any]]]
    studies: dict[str, StoredStudy]

    def blocks(self, name: str, /) -> Iterator[bytes]:
        """Yield the rows of a table in the text format of COPY."""
        ...


class _Files:
    """The rows of a dump."""

    def __init__(self, folder: Path, described: Manifest) -> None:
        self._folder, self._described = folder, described
        self.columns: dict[str, Sequence[str]] = dict(described.columns)
        self.sequences = described.sequences
        self.text_search = described.text_search
        self.studies = _studies(self)
        self.apart = tables_apart(self.studies)

    def check(self) -> None:
        """Check that each table has a file. :raises BadInput: a file is missing, or its size is not in the manifest."""
        for name in self.columns:
            if f"public.{name}" in OURS:
                raise BadInput(f"the dump has rows of {name}, which restore creates itself", hint="Do not trust this dump.")
            if not inventory.ours(name) and name not in self.apart:
                raise BadInput(
                    f"the dump has tables that a collection of its revision does not have: {name}", hint="Do not trust this dump."
                )
            self._file(name)

    def _file(self, table: str) -> str:
        file = rows.stored_name(table, self._described.files)
        if file not in self._described.files or "unpacked" not in self._described.files[file]:
            raise BadInput(f"the dump lacks the file {file}", hint="Get the dump again, or have a new one made.")
        return file

    def blocks(self, table: str) -> Iterator[bytes]:
        file = self._file(table)
        return rows.blocks(self._folder / file, unpacked=self._described.files[file]["unpacked"], name=file)


def _kept(study: str, source: _Files, described: Manifest) -> str:
    names = [name for name, of in source.apart.items() if of == study]
    count = sum(rows_ for table, rows_ in described.tables.items() if table.rpartition(".")[2] in names)
    return f"the study {study!r} is not installed: its {counted(count, 'row')} are kept; install it, then run 'stc db upgrade'"


def _config(described: Manifest) -> str | None:
    """Return the configuration of the text index; None without an index."""
    text = described.indexes.get("text")
    if text is None:
        return None
    return str(text.get("config", "english")).removeprefix("public.").removeprefix("pg_catalog.")


def _acceptable(folder: Path, described: Manifest) -> None:
    """Refuse dumps that this version cannot restore."""
    if described.kind != "dump":
        raise BadInput(f"{folder} contains plain SQL, not a dump", hint="Load it with psql: gunzip -c *.sql.gz | psql DATABASE.")
    if is_too_old(described.revision):
        raise manifest.too_old(described.stcollection, described.revision)
    if described.revision not in dict(revisions()):
        raise StateError(
            f"the dump was made by a newer version (stcollection {described.stcollection}, revision {described.revision};"
            f" this one has {head()})",
            hint="Install that version: pip install --upgrade stcollection.",
        )


# Objects of a database outside PostgreSQL and extensions; in a collection, those outside its schemas.
_OWN = r"""
SELECT coalesce(min(name), '') FROM (
    SELECT c.oid::regclass::text, c.relnamespace, 'pg_class'::regclass, c.oid FROM pg_class c WHERE c.relkind <> 't'
    UNION ALL SELECT p.oid::regprocedure::text, p.pronamespace, 'pg_proc'::regclass, p.oid FROM pg_proc p
) o (name, schema, class, oid)
 WHERE o.schema::regnamespace::text NOT LIKE 'pg\_%%' AND o.schema::regnamespace::text <> 'information_schema'
   AND NOT o.schema::regnamespace::text = ANY (%s)
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype = 'e')
"""


@translate()
def check_free(settings: Settings) -> None:
    """Refuse an existing database that contains rows of a collection or foreign objects."""
    with maintenance(settings) as admin:
        if settings.db == admin.info.dbname:
            raise BadArgument(f"{settings.db!r} is the server's own database", hint="Restore under another name: --db NAME.")
        if admin.execute("SELECT FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None:
            return
    with scratch.reach(settings, settings.db) as conn:
        collection = revision(conn) is not None
        schemas_ = ["public", "stc", "stc_all"] if collection else []
        [[held]] = conn.execute(_OWN, [schemas_]).fetchall()
        for table in inventory.tables(conn) if collection else []:
            if table.qualified in (*OURS, "stc.studies"):  # an empty collection has its studies
                continue
            there = f"SELECT FROM {{}} t WHERE t.name <> '{adoption.RECORD}' LIMIT 1"
            some = there if table.name == "stc_settings" else "SELECT FROM {} LIMIT 1"
            if conn.execute(sql.SQL(some).format(table.identifier)).fetchone() is not None:
                held = f"rows of {table.qualified}"
                break
        if held:
            raise BadArgument(
                f"the collection {settings.db!r} exists and is not empty: it contains {held}",
                hint="Restore under another name (--db NAME), or remove it first with 'stc db drop'.",
            )


def make_room(settings: Settings, admin: psycopg.Connection) -> None:
    """Drop the empty collection with this name, unless it is in use or was filled meanwhile."""
    check_free(settings)
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(settings.db)))


def _put_dictionaries(settings: Settings, folder: Path, described: Manifest) -> None:
    """Save dictionary files, and install them for the embedded server."""
    names = [name.split("/", 1)[1] for name in described.files if name.startswith("tsearch_data/")]
    for name in names:
        if not re.fullmatch(r"stc_[0-9a-f]{12}_\w+\.(ths|syn|stop)", name):
            raise BadInput(f"the dump contains a file that is not a dictionary: {name!r}", hint="Do not trust this dump.")
        dictionaries.keep(settings.home, name, (folder / "tsearch_data" / name).read_text(encoding="utf-8"))
    if names and settings.embedded:
        dictionaries.restore(settings.home, binaries())


# Extensions created by index builds and by the embedding service, if the server has them.
_OPTIONAL = ("pg_textsearch", "vectorscale", "http")


def make_extensions(conn: psycopg.Connection, dumped: dict[str, dict[str, str]]) -> list[str]:
    """Create pgvector in this server's version. Index builds and the embedding service create theirs; others are skipped.

    :param dumped: version and schema of each extension of the dump.
    :returns: notes on missing and skipped extensions.
    :raises StateError: the server lacks pgvector.
    """
    conn.execute("SET client_min_messages = warning")
    available = {name for (name,) in conn.execute("SELECT name FROM pg_available_extensions").fetchall()}
    if "vector" not in available:
        raise StateError("the server does not have the extension vector", hint="Install it on the server.", sqlstate="IR404")
    conn.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    notes = [f"this server does not have the extension {name}" for name in _OPTIONAL if name in dumped and name not in available]
    others = sorted(set(dumped) - {"vector", *_OPTIONAL})
    if others:
        notes.append(f"skipped the extensions {', '.join(others)}, which a collection does not need: CREATE EXTENSION adds them")
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
    """Create the tables of a revision in the empty database of ``settings``, and copy rows into them.

    :param source: columns and rows of tables, values of sequences, text search configurations.
    :param config: the configuration of the text index.
    :returns: number of rows by table.
    :raises BadInput: the dump does not match the tables.
    """
    tables.migrate(open_session(conninfo(settings)), revision, source.studies)
    apart = {name: study for name, study in tables_apart(source.studies).items() if name in source.columns}
    columns = {name: given for name, given in source.columns.items() if name not in apart}
    with scratch.reach(settings, settings.db) as conn:
        role = tables.prepare(conn)
        tables.make_text_search(conn, source.text_search, config)
        again = tables.put_keys_aside(conn)
        # Remove rows inserted by migrations; the dump contains them.
        for stored in inventory.tables(conn):
            if stored.qualified not in OURS:
                conn.execute(sql.SQL("TRUNCATE {}").format(stored.identifier))
        models = {"vector_models": source.columns["vector_models"]} if "vector_models" in source.columns else {}
        loaded = {}
        for table in tables.matching(conn, models).values():
            loaded[table.qualified] = rows.load(conn, table, source.blocks(table.name))
        tables.make_model_tables(conn, columns)
        targets = tables.matching(conn, columns)
        again += [key for key in tables.put_keys_aside(conn) if key not in again]

        def connect() -> psycopg.Connection:
            own = scratch.reach(settings, settings.db)
            session.enter(own, role)
            return own

        finished = 0

        def tick(_: int) -> None:
            nonlocal finished
            finished += 1
            if progress is not None:
                progress(finished, len(targets))

        others = [stored for name, stored in targets.items() if name != "vector_models"]
        counts = session.run_parallel(
            lambda own, table: rows.load(own, table, source.blocks(table.name)), others, connect=connect, jobs=jobs, on_result=tick
        )
        loaded.update(zip((stored.qualified for stored in others), counts, strict=True))
        for name, study in apart.items():
            loaded[name] = studies.keep_rows(conn, study, name, source.columns[name], source.blocks(name))
        if source.studies:  # an upgrade sets the rights of those that are installed
            conn.execute("UPDATE stc.studies SET rights = '[]'")
        tables.put_keys_back(conn, again)
        of_apart = tuple(f"{name}_" for name in apart)
        tables.set_sequences(conn, {name: last for name, last in source.sequences.items() if not name.startswith(of_apart)})
    return loaded


def tables_apart(stored: Mapping[str, StoredStudy]) -> dict[str, str]:
    """Return the tables of studies that are not installed, with the study of each."""
    missing = {name: study for name, study in stored.items() if name not in studies.installed()}
    parts = {f"{table}{part}": name for name, study in missing.items() for table in study.tables for part in studies.PARTS}
    own = {table for names in adoption.relations().values() for table in names}
    return {table: name for table, name in parts.items() if table not in own}


def _studies(source: _Files) -> dict[str, StoredStudy]:
    """Return the studies of a dump. :raises BadInput: its table of studies is malformed."""
    if "studies" not in source.columns:
        return {}
    dumped = {}
    try:
        for line in b"".join(source.blocks("studies")).decode().splitlines():
            row = dict(zip(source.columns["studies"], line.replace("\\\\", "\\").split("\t"), strict=True))
            rights = [{str(key): str(value) for key, value in right.items()} for right in json.loads(row["rights"])]
            dumped[row["study"]] = StoredStudy(row["revision"], rights)
            dumped[row["study"]].tables  # noqa: B018  (an error without names of tables)
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        raise BadInput(f"the dump's table studies cannot be read: {error}", hint="Do not trust this dump.") from error
    return dumped


# Tables whose rows belong to a login by its name. On another server, or later, the name may be another person's.
OF_LOGINS = ("stc_members", "unfinished_runs", "unfinished_rankings")


def _forget_logins(conn: psycopg.Connection) -> list[str]:
    """Remove memberships of teams, and unfinished runs and systems of one login. :returns: notes that name them."""
    stored = {table.name: table.identifier for table in inventory.tables(conn)}
    login_tables = {name: table for name, table in stored.items() if name in OF_LOGINS}
    notes = []
    if "stc_members" in login_tables:
        rows_ = conn.execute(
            sql.SQL("SELECT team, string_agg(member, ', ' ORDER BY member) FROM {} GROUP BY team ORDER BY team").format(
                login_tables["stc_members"]
            )
        ).fetchall()
        if rows_:
            teams = "; ".join(f"{team}: {members}" for team, members in rows_)
            notes.append(
                f"skipped the members of teams ({teams}): add them again with 'stc db user NAME --role participant --team TEAM'"
            )
    if "unfinished_runs" in login_tables:
        runs = conn.execute(sql.SQL("SELECT run FROM {} ORDER BY run").format(login_tables["unfinished_runs"])).fetchall()
        if runs:
            notes.append(f"skipped the unfinished runs {', '.join(run for (run,) in runs)}")
    if "own_systems" in stored:  # those for everybody stay
        gone = sql.SQL("DELETE FROM {} WHERE maker IS NOT NULL RETURNING system").format(stored["own_systems"])
        if systems := sorted({system for (system,) in conn.execute(gone).fetchall()}):
            notes.append(f"skipped the systems {', '.join(systems)}, which participants added for themselves")
    if login_tables:
        conn.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(login_tables.values())))
    return notes


def _compare_rows(conn: psycopg.Connection, described: Manifest) -> None:
    """Compare the number of rows of each table with the manifest. :raises StateError: a number differs."""
    by_name = {table.qualified: table for table in inventory.tables(conn, partitioned=True)}
    for name, expected in described.tables.items():
        # study_rows also has the rows of studies that are not installed, which were counted when they were loaded
        partly = (*OF_LOGINS, "own_systems", "study_rows")
        skipped = name in OURS or name in described.emptied or name.rpartition(".")[2] in partly
        if name in by_name and not skipped:
            _same(name, inventory.count(conn, by_name[name]), expected)


def _same(name: str, restored: int, expected: int) -> None:
    if restored != expected:
        raise StateError(
            f"the restored data differs from the dump: {name} has {counted(restored, 'row')}, not {expected}",
            hint="Restore it again. Nothing was kept.",
        )


def _compare_editions(conn: psycopg.Connection, described: Manifest) -> int:
    """Compare the fingerprint of each edition with the manifest. :raises StateError: a fingerprint differs."""
    restored = inventory.editions(conn)
    for name, expected in described.editions.items():
        if restored.get(name, {}).get("says") != expected["says"]:
            raise StateError(
                f"the restored edition {name!r} differs from the dumped one", hint="Restore it again. Nothing was kept."
            )
    return len(described.editions)
