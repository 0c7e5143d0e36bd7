"""``stc db restore``: a dump becomes a collection; nothing of it is seen before it is whole.

pg_restore makes tables, rows, keys and common indexes in a database under a temporary name; then tables and functions are put in
step with this version, the indexes of text and vectors are built as their own commands build them, rows and editions are compared
with the manifest, and the database gets its name.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
from alembic.script import ScriptDirectory
from psycopg import sql

from stcollection.db import dictionaries
from stcollection.db.connection import conninfo, maintenance
from stcollection.db.embedded import binaries
from stcollection.db.handover import inventory, manifest, programs, scratch
from stcollection.db.handover.dump import Tell, quiet
from stcollection.db.handover.indexes import build
from stcollection.db.handover.manifest import OURS, Manifest
from stcollection.db.pool import worker_count
from stcollection.db.settings import Settings
from stcollection.db.step import configuration, head, revision
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, BadInput, StateError, translate


@dataclass(frozen=True)
class Restored:
    """:param digest: of the manifest. :param upgraded: to which revision, None where the dump was of this version's.
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
    settings: Settings, folder: Path, *, jobs: int | None = None, tell: Tell = quiet, progress: programs.Progress | None = None
) -> Restored:
    """Make the collection that ``settings`` name from a dump.

    :param jobs: tables and indexes at a time; one a core, at most 8, if None.
    :raises BadArgument: the collection is there and not empty; no such folder.
    :raises BadInput: the dump is not whole, was changed, or is plain SQL.
    :raises StateError: it is newer than this version; the server lacks an extension; another restore of the name is under way.
    :raises DatabaseError: pg_restore failed, as where the disk is full.
    """
    workers = worker_count(jobs)
    described, digest = manifest.read(folder)
    _acceptable(folder, described)
    _free(settings)
    tell("comparing checksums")
    manifest.verify(folder, described, jobs=workers, progress=progress)
    with scratch.making(settings, purpose="restore", collection=settings.db) as (admin, name):
        unfinished = replace(settings, db=name)
        major = admin.info.server_version // 10000
        program = programs.find("pg_restore", server=major)
        notes = list(described.notes)
        _put_dictionaries(settings, folder, described)
        with scratch.reach(settings, name) as conn:
            notes += make_extensions(conn, described)
        tell(f"restoring {len(described.tables)} tables with {programs.told(program)}, {workers} at a time")
        fill(unfinished, folder, described, program=program, jobs=workers, progress=progress)
        tell("vacuum and statistics")
        with scratch.reach(settings, name) as conn:
            conn.execute("VACUUM (ANALYZE)")
        step = upgrade(unfinished, force=True)
        upgraded = step.after if step.after != described.revision else None
        notes += build(unfinished, described, jobs=workers, tell=tell)
        tell("comparing rows and editions")
        with scratch.reach(settings, name) as conn:
            rows = _compare_rows(conn, described)
            editions = _compare_editions(conn, described)
        _make_room(settings, admin)
        scratch.finish(admin, name, collection=settings.db)
    return Restored(settings.db, described, digest, upgraded, rows, editions, notes)


def _acceptable(folder: Path, described: Manifest) -> None:
    """Refuse what is not for this version."""
    if described.kind != "dump":
        raise BadInput(f"{folder} holds plain SQL, not a dump", hint="Load it by psql: gunzip -c *.sql.gz | psql DATABASE.")
    known = {script.revision for script in ScriptDirectory.from_config(configuration()).walk_revisions()}
    if described.revision not in known:
        raise StateError(
            f"the dump was made by a newer version (stcollection {described.stcollection}, revision {described.revision};"
            f" this one has {head()})",
            hint="Install that version: pip install --upgrade stcollection.",
        )
    if "data/toc.dat" not in described.files:
        raise BadInput(f"{folder} has no data/toc.dat: it is no dump", hint="Fetch the dump again, or have it made anew.")


# What a database holds that is neither PostgreSQL's nor an extension's; of a collection, what is not in public.
_OWN = r"""
SELECT coalesce(min(name), '') FROM (
    SELECT c.oid::regclass::text, c.relnamespace, 'pg_class'::regclass, c.oid FROM pg_class c WHERE c.relkind <> 't'
    UNION ALL SELECT p.oid::regprocedure::text, p.pronamespace, 'pg_proc'::regclass, p.oid FROM pg_proc p
) o (name, schema, class, oid)
 WHERE o.schema::regnamespace::text NOT LIKE 'pg\_%%' AND o.schema::regnamespace::text <> 'information_schema'
   AND (o.schema <> 'public'::regnamespace OR NOT %s)
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
        [[held]] = conn.execute(_OWN, [collection]).fetchall()
        for schema, name in inventory.tables(conn) if collection else []:
            table = sql.Identifier(schema, name)
            if f"{schema}.{name}" in OURS:
                continue
            if conn.execute(sql.SQL("SELECT FROM {} LIMIT 1").format(table)).fetchone() is not None:
                held = f"rows of {schema}.{name}"
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


def make_extensions(conn: psycopg.Connection, described: Manifest) -> list[str]:
    """Make the extensions, in this server's versions. What index builds and http need is made with them.

    :returns: what is not there. :raises StateError: the server lacks one that the rows or functions need.
    """
    conn.execute("SET client_min_messages = warning")
    there = {name for (name,) in conn.execute("SELECT name FROM pg_available_extensions").fetchall()}
    notes = []
    for name, said in described.extensions.items():
        if name in ("pg_textsearch", "vectorscale", "http"):
            if name not in there:
                notes.append(f"this server does not have the extension {name}")
            continue
        if name not in there:
            raise StateError(f"the server does not have the extension {name}", hint="Install it there.", sqlstate="IR404")
        schema = sql.Identifier(said["schema"])
        conn.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
        conn.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS {} SCHEMA {}").format(sql.Identifier(name), schema))
    return notes


def fill(
    settings: Settings, folder: Path, described: Manifest, *, program: str, jobs: int, progress: programs.Progress | None = None,
    only: Sequence[str] = (),
) -> None:  # fmt: skip
    """Have pg_restore make what the dump holds, but for extensions and the indexes that are built anew.

    :param only: sections (pre-data, data, post-data); all if empty.
    """
    sections = [f"--section={one}" for one in only]
    listed = subprocess.run(
        [program, "--list", *sections, str(folder / "data")],
        capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if listed.returncode != 0:
        raise programs.failure("pg_restore", listed.stderr.splitlines() or ["it cannot read the dump"])
    lines = [line for line in listed.stdout.splitlines() if line and not line.startswith(";") and _wanted(line, described)]
    with tempfile.NamedTemporaryFile("w", suffix=".list", encoding="utf-8") as chosen:
        chosen.write("\n".join(lines) + "\n")
        chosen.flush()
        programs.run(
            [program, f"--jobs={jobs}", f"--use-list={chosen.name}", *sections, "--exit-on-error", "--no-owner", "--no-privileges",
             str(folder / "data")],
            conninfo=conninfo(settings), total=len(lines), progress=progress,
        )  # fmt: skip


def _wanted(line: str, described: Manifest) -> bool:
    """Whether pg_restore is to make an entry of the dump's table of contents, ``id; class oid KIND schema name owner``."""
    kind, schema, name = _entry(line)
    if kind == "EXTENSION" or name.startswith("EXTENSION "):
        return False
    if kind == "SCHEMA" or name.startswith("SCHEMA "):
        made = {one["schema"] for said, one in described.extensions.items() if said not in ("pg_textsearch", "vectorscale", "http")}
        return name.removeprefix("SCHEMA ").rsplit(" ", 1)[0] not in made
    if schema == "public" and (kind == "POLICY" or name.startswith("POLICY ")):  # upgrade puts them, and makes the roles they name
        return False
    if kind == "INDEX":
        return not (schema == "public" and name.rsplit(" ", 1)[0] in described.rebuilt)
    return not (kind == "COMMENT" and name.startswith("INDEX ") and name[6:].rsplit(" ", 1)[0] in described.rebuilt)


def _entry(line: str) -> tuple[str, str, str]:
    match = re.match(r"\d+; \d+ \d+ ([A-Z][A-Z ]*[A-Z]) (-|\S+) (.*)", line)
    return (match[1], match[2], match[3]) if match else ("", "", "")


def _compare_rows(conn: psycopg.Connection, described: Manifest) -> int:
    """Rows of each table against the manifest. :returns: how many were compared. :raises StateError: a table has others."""
    compared = 0
    skip = OURS | set(described.emptied)
    there = {f"{schema}.{name}": (schema, name) for schema, name in conn.execute(inventory.RELATIONS).fetchall()}
    for name, rows in described.tables.items():
        if name in skip:
            continue
        found = inventory.counts(conn, [there[name]])[name] if name in there else None
        if found != rows:
            raise StateError(
                f"what was restored is not what was dumped: {name} has {'no' if found is None else found} rows, not {rows}",
                hint="Restore it again; nothing was kept.",
            )
        compared += rows
    return compared


def _compare_editions(conn: psycopg.Connection, described: Manifest) -> int:
    """What each edition says against the manifest. :raises StateError: one says something else."""
    found = inventory.editions(conn)
    for name, said in described.editions.items():
        if found.get(name, {}).get("says") != said["says"]:
            raise StateError(
                f"the edition {name!r} says something else than when it was dumped", hint="Restore it again; nothing was kept."
            )
    return len(described.editions)
