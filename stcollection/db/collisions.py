"""Find foreign objects with names that the collection needs, before an upgrade changes anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import psycopg

from stcollection import plugins
from stcollection.counts import counted
from stcollection.db import studies
from stcollection.db.created import tables
from stcollection.db.objects import SqlFile, changes, registered, resolve
from stcollection.db.step import revision, revisions, sources
from stcollection.errors import StateError

# Names of objects that a revision creates, in the notation of the files in migrations/.
_MADE = re.compile(
    r"(?:create_table|create_index|op\.f|Sequence)\(\s*\"(\w+)\"|\bname=\"(\w+)\""
    r"|CREATE (?:TABLE|TYPE|SEQUENCE|(?:UNIQUE )?INDEX) (?:IF NOT EXISTS )?(?:(?:public|stc)\.)?(\w+)"
)
# Schemas that revisions create.
_SCHEMAS = {"0035": "stc", "0036": "stc_all"}

_TAKEN = """
SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'I' THEN 'index'
                      WHEN 'S' THEN 'sequence' WHEN 'c' THEN 'type' ELSE 'table' END || ' ' || c.relname
  FROM pg_catalog.pg_class c
  LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid
  LEFT JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
 WHERE c.relnamespace = 'public'::regnamespace AND NOT coalesce(t.relname = ANY (%(ours)s), false)
   AND (c.relname = ANY (%(names)s) OR 'view public.' || c.relname = ANY (%(views)s)
        AND NOT (c.relname = ANY (%(ours)s) AND c.relkind IN ('r', 'p')))  -- a revision moves the table
UNION
SELECT 'type ' || y.typname FROM pg_catalog.pg_type y
 WHERE y.typnamespace = 'public'::regnamespace AND y.typrelid = 0 AND y.typcategory <> 'A' AND y.typname = ANY (%(names)s)
UNION
SELECT 'schema ' || n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname = ANY (%(schemas)s)
"""


def find(conn: psycopg.Connection, files: Sequence[SqlFile]) -> list[str]:
    """Return all foreign objects that block an upgrade: kind and name, functions with their argument types.

    Requires a search path of public only. Functions with the same name and other argument types do not block it.
    """
    at = revision(conn)
    applied, pending = _revisions(conn, at)
    changed = files if at is None else changes(conn, files)[0]
    if not pending and not changed:
        return []
    ours, needed = _names(applied), _names(pending)
    names = needed - ours | ({"alembic_version"} if at is None else set())
    names |= {partition for table in names for partition in tables().get(table, ())}
    known = {obj for objects in registered(conn).values() for obj in objects} if at is not None else set()
    views = {obj for file in changed for obj in file.creates if obj.startswith("view") and obj not in known}
    schemas = [schema for number, schema in _SCHEMAS.items() if any(path.stem.startswith(number) for path in pending)]
    arguments = {"names": sorted(names), "views": sorted(views), "ours": sorted(ours), "schemas": schemas}
    rows = conn.execute(_TAKEN, arguments).fetchall()
    taken = [row[0] for row in rows]
    existing = resolve(conn, [obj for file in changed for obj in file.signatures if not obj.startswith("view")])
    others = [obj for obj in existing.values() if obj is not None and obj not in known]
    return sorted(taken + [obj.replace(" public.", " ", 1) for obj in others])


def check(conn: psycopg.Connection, files: Sequence[SqlFile], *, db: str) -> None:
    """Check that no foreign object has a name that the collection needs.

    :raises StateError: some have; the message names all. Nothing was changed.
    """
    taken = find(conn, files)
    if taken:
        many = f"{counted(len(taken), 'object')}" if len(taken) > 1 else "an object"
        raise StateError(
            f"{many} in {db!r} that stcollection did not create {'have names' if len(taken) > 1 else 'has a name'} it needs:"
            f" {', '.join(taken)}",
            hint="Use a separate database ('stc db create NAME'), or rename the objects. Nothing was changed.",
            sqlstate="IR414",
        )


def _revisions(conn: psycopg.Connection, at: str | None) -> tuple[list[Path], list[Path]]:
    """Return the files of the revisions that the database has, and of those that it lacks; also of studies."""
    applied: list[Path] = []
    pending: list[Path] = []
    for number, path in revisions():
        (pending if at is None or number > at else applied).append(path)
    stored = studies.recorded(conn)
    for study in plugins.studies():
        lacking = studies.lacking(study, stored)
        pending += [path for _, path in lacking]
        applied += [path for step in studies.steps(study) if step not in lacking for path in step[1:]]
    return applied, pending


def _names(files: Iterable[Path]) -> set[str]:
    return {name for path in files for match in _MADE.finditer(sources(path)) for name in match.groups() if name}
