"""A dump as version 0.1 wrote it: everything in the database, by pg_dump, with a manifest of format 1."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from stcollection.db.backup import inventory, manifest, programs
from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings

_TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relpersistence <> 't'"
    " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')"
)


def _rows(conn: psycopg.Connection, schema: str, name: str) -> int:
    [[count]] = conn.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, name))).fetchall()
    return int(count)


def dump_as_0_1(settings: Settings, folder: Path, **changed: Any) -> Path:
    """Write it. :param changed: entries of the manifest that are to be others. :returns: the folder."""
    folder.mkdir(parents=True)
    with psycopg.connect(conninfo(settings), autocommit=True) as conn:
        indexed, rebuilt = inventory.indexes(conn)
        emptied = ["public.text_lexemes", "public.text_lengths"] if indexed["text"] is not None else []
        env, dbname = programs.environment(conninfo(settings))
        subprocess.run(
            [programs.find("pg_dump", server=conn.info.server_version // 10000), "--format=directory", f"--file={folder / 'data'}",
             "--jobs=2", "--no-owner", "--no-privileges", "--compress=gzip:6", *(f"--exclude-table-data={one}" for one in emptied),
             f"--dbname={dbname}"],
            env=env, check=True, capture_output=True,
        )  # fmt: skip
        [[revision]] = conn.execute("SELECT version_num FROM public.alembic_version").fetchall()
        content: dict[str, Any] = {
            "format": 1, "kind": "dump", "stcollection": "0.1.0", "revision": revision, "collection": settings.db,
            "made": "2026-11-22T12:00:00+00:00", "postgresql": "18.0", "extensions": inventory.extensions(conn), "sample": None,
            "tables": {f"{one}.{name}": _rows(conn, one, name) for one, name in conn.execute(_TABLES.encode()).fetchall()},
             "emptied": emptied, "editions": inventory.editions(conn),
            "indexes": indexed, "rebuilt": rebuilt, "files": manifest.describe(folder, jobs=2), "notes": [], **changed,
        }  # fmt: skip
    digest = manifest._digest(content)
    (folder / manifest.NAME).write_text(json.dumps({**content, "digest": digest}))
    return folder
